import { expect, test } from "vitest";
import { formatOfType, formats, parseFormat, transferTypes } from "../../../../src/capabilities/transfer/formats/transferFormat.js";

test.each([
  ["text/csv", "csv"],
  ["application/csv", "csv"],
  ["application/x-ndjson", "ndjson"],
  ["application/ndjson", "ndjson"],
  ["application/jsonl", "ndjson"],
  ["application/x-jsonlines", "ndjson"],
  ["application/json", "json"],
  ["application/xml", undefined],
  ["", undefined],
])("%s is the format %s", (type, format) => {
  expect(formatOfType(type)).toBe(format);
});

test("every format is sent as a type that it is taken as", () => {
  for (const [format, { mediaType }] of Object.entries(formats)) expect(formatOfType(mediaType)).toBe(format);
  expect(transferTypes).toHaveLength(7);
});

test.each([
  ["csv", "csv"],
  ["ndjson", "ndjson"],
  ["jsonl", "ndjson"],
  ["json", "json"],
  ["CSV", undefined],
  ["toString", undefined],
])("the parameter %s names the format %s", (name, format) => {
  expect(parseFormat(name)).toBe(format);
});
