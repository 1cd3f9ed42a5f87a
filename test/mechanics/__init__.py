"""What tests are made of: robots, the laws that they obey, and other ways to compute them."""
