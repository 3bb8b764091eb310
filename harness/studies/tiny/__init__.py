"""The study `tiny`: the two small models in assets/, made here from seeds so that anybody can make them again."""
