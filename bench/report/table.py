"""All numbers as a CSV file."""
import csv

COLUMNS = ("name", "kernel", "size", "platform", "device", "processors", "date", "commit", "seconds", "low", "high", "error", "label")


def write(path, measurements):
    keys = sorted({key for one in measurements for key in one.values})
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS + tuple(keys))
        for one in measurements:
            writer.writerow(["" if getattr(one, column) is None else getattr(one, column) for column in COLUMNS] + [one.values.get(key, "") for key in keys])
