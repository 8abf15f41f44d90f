import { expect, test } from "vitest";
import { pointer } from "../../../src/ground/http/pointer.js";

// The examples of RFC 6901 §5, and what they leave out.
test.each([
  [[], ""],
  [["foo"], "/foo"],
  [["foo", 0], "/foo/0"],
  [[""], "/"],
  [["a/b"], "/a~1b"],
  [["c%d"], "/c%d"],
  [["e^f"], "/e^f"],
  [["g|h"], "/g|h"],
  [["i\\j"], "/i\\j"],
  [['k"l'], '/k"l'],
  [[" "], "/ "],
  [["m~n"], "/m~0n"],
  [["~1"], "/~01"],
  [["a//b", "~~"], "/a~1~1b/~0~0"],
])("the path %j is the pointer %j", (path, text) => {
  expect(pointer(path)).toBe(text);
});
