"""Commands of a plugin: lists those of a class, and calls one as a method.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/command.py [--plugins DIRECTORY]
"""
from __future__ import annotations

import argparse

from mediasdk import Engine, RangeError

CLASS = "org.mediasdk.producer.testpattern"


def main() -> None:
    parser = argparse.ArgumentParser(description="Lists and calls the commands of the test pattern.")
    parser.add_argument("--plugins", help="where the plugins are; without it the standard places")
    options = parser.parse_args()
    with Engine() as engine:
        if options.plugins:
            engine.add_plugin_dir(options.plugins)
        else:
            engine.load_default_plugins()
        pattern = engine.create_instance(CLASS)
        for command in pattern.commands.values():
            print(f"{command.name}{command.signature}: {command.summary}")
        pattern.set_pattern("counter", speed=2.0)
        print("frames made:", pattern.frame_count())
        try:
            pattern.set_pattern("counter", speed=99)  # what is wrong does not reach the plugin
        except RangeError as error:
            print("refused:", error.text)


if __name__ == "__main__":
    main()
