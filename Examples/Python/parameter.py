"""Parameters of a plugin: what a class lets one set, what each accepts just now, the events of their changes, and what it makes.

    PYTHONPATH=Bindings/Python MEDIASDK_LIBRARY=... python3 Examples/Python/parameter.py [--plugins DIRECTORY]
"""
from __future__ import annotations

import argparse

from mediasdk import Engine, ParamFlag, PluginEvent, RangeError

CLASS = "org.mediasdk.producer.testpattern"


def main() -> None:
    parser = argparse.ArgumentParser(description="Lists and sets the parameters of the test pattern.")
    parser.add_argument("--plugins", help="where the plugins are; without it the standard places")
    options = parser.parse_args()
    with Engine() as engine:
        if options.plugins:
            engine.add_plugin_dir(options.plugins)
        else:
            engine.load_default_plugins()
        pattern = engine.create_instance(CLASS)
        for param in pattern.params():
            print(param.name + (", also while it runs" if param.flags & ParamFlag.LIVE else ""))
            if param.choices or param.flags & ParamFlag.DYNAMIC_CHOICES:
                for choice in pattern.choices(param.name):  # the plugin is asked, if these are found at run time
                    print(f'  "{choice.value}": {choice.label}')
        pattern["speed"] = 2.0
        pattern.set_text("pattern", "counter")  # as a user or a file has it
        try:
            pattern["pattern"] = "plaid"
        except RangeError as error:
            print("refused:", error.text)
        for event in pattern.events(timeout=0):  # each change is an event, whoever made it
            if event.type == PluginEvent.PARAM_CHANGED:
                print(f"changed: {event.text} is {pattern[event.text]!r}")
        pattern.start_pull()  # what it makes, without a call
        frame = pattern.read(timeout=5)
        print(f"made: frame {frame.sequence} of {frame.format.width}x{frame.format.height}")


if __name__ == "__main__":
    main()
