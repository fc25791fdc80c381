"""How each public operation passes gradients on, by NumPy's chapters. Importing it loads all."""

from dml_vk.gradients.rules import indexing as indexing
from dml_vk.gradients.rules import joins as joins
from dml_vk.gradients.rules import operators as operators
from dml_vk.gradients.rules import orders as orders
from dml_vk.gradients.rules import products as products
from dml_vk.gradients.rules import reductions as reductions
from dml_vk.gradients.rules import scans as scans
