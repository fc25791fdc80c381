"""How each public operation passes gradients on, by NumPy's chapters. Importing it loads all."""

from dml_vk.gradients.rules import attention as attention
from dml_vk.gradients.rules import classes as classes
from dml_vk.gradients.rules import convolutions as convolutions
from dml_vk.gradients.rules import decompositions as decompositions
from dml_vk.gradients.rules import fourier as fourier
from dml_vk.gradients.rules import images as images
from dml_vk.gradients.rules import indexing as indexing
from dml_vk.gradients.rules import joins as joins
from dml_vk.gradients.rules import limits as limits
from dml_vk.gradients.rules import linear as linear
from dml_vk.gradients.rules import matrices as matrices
from dml_vk.gradients.rules import norms as norms
from dml_vk.gradients.rules import operators as operators
from dml_vk.gradients.rules import orders as orders
from dml_vk.gradients.rules import pools as pools
from dml_vk.gradients.rules import products as products
from dml_vk.gradients.rules import reductions as reductions
from dml_vk.gradients.rules import scans as scans
from dml_vk.gradients.rules import sinc as sinc
from dml_vk.gradients.rules import softmax as softmax
