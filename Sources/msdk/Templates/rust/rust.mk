RUSTC ?= rustc

all: $(PLUGIN)

$(PLUGIN): @NAME@.rs mediasdk.rs
	$(RUSTC) --edition 2021 --crate-type cdylib -O -C strip=symbols $< -o $@
