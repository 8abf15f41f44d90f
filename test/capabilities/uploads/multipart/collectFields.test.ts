import { expect, test } from "vitest";
import { collectFields } from "../../../../src/capabilities/uploads/index.js";

test("a name that stands once has a text, and one that stands more often has all of them in order", () => {
  const fields = [
    { name: "a", value: "1" },
    { name: "b", value: "" },
    { name: "a", value: "2" },
    { name: "a", value: "1" },
  ];
  expect({ ...collectFields(fields) }).toEqual({ a: ["1", "2", "1"], b: "" });
});

test("names of prototypes are names as any other", () => {
  const collected = collectFields(["__proto__", "constructor", "prototype", "toString", "__proto__"].map((name) => ({ name, value: name })));
  expect(Object.getPrototypeOf(collected)).toBeNull();
  expect(Object.entries(collected)).toEqual([
    ["__proto__", ["__proto__", "__proto__"]],
    ["constructor", "constructor"],
    ["prototype", "prototype"],
    ["toString", "toString"],
  ]);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test("brackets mean nothing", () => {
  expect({ ...collectFields([{ name: "a[b][]", value: "1" }]) }).toEqual({ "a[b][]": "1" });
});
