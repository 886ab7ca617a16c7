"""What people read: tables of identities, gradients as text, the stages of a program."""
