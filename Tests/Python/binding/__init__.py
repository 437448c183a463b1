"""What the binding adds to the C API: errors, events, asyncio, names, lifetimes, generated modules, documents."""
