// What a product is added by, each rounded apart. The includer defines VALUE.
VALUE plus(VALUE a, VALUE b) {
    precise VALUE sum = a + b;
    return sum;
}

VALUE times(VALUE a, VALUE b) {
    precise VALUE product = a * b;
    return product;
}
