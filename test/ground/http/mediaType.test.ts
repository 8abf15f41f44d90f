import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { charsetIsUtf8, isJson, parseMediaType } from "../../../src/ground/http/headers/mediaType.js";

describe("a Content-Type", () => {
  test.each([
    ["application/json", "application/json", {}],
    ["Application/JSON ; Charset=UTF-8", "application/json", { charset: "UTF-8" }],
    // RFC 9110 §8.3.1: four ways to say the same.
    ["text/html;charset=utf-8", "text/html", { charset: "utf-8" }],
    ['Text/HTML;Charset="utf-8"', "text/html", { charset: "utf-8" }],
    ['text/html; charset="utf-8"', "text/html", { charset: "utf-8" }],
    ['multipart/form-data; boundary="a;b, c"', "multipart/form-data", { boundary: "a;b, c" }],
    ["application/vnd.shop.v2+json", "application/vnd.shop.v2+json", {}],
  ])("%s is read", (header, type, parameters) => {
    const mediaType = parseMediaType(header);
    expect(mediaType?.type).toBe(type);
    expect({ ...mediaType?.parameters }).toEqual(parameters);
  });

  test.each(["", "json", "/json", "application/", "application/json, text/plain", "application /json", "a/b/c", "application/jsön", '"a"/b'])(
    "%j names no media type",
    (header) => {
      expect(parseMediaType(header)).toBeUndefined();
    },
  );

  test("never makes the parser throw, and every type it yields has two tokens", () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const mediaType = parseMediaType(header);
        if (mediaType !== undefined) expect(mediaType.type).toMatch(/^[^\s/,;"]+\/[^\s/,;"]+$/);
      }),
    );
  });

  test.each([
    ["application/json", true],
    ["application/merge-patch+json", true],
    ["application/vnd.shop.v2+json", true],
    ["application/+json", false],
    ["application/jsonp", false],
    ["application/json-seq", false],
    ["text/json", false],
    ["text/plain", false],
    ["image/x+json", false],
  ])("%s is JSON: %s", (type, expected) => {
    expect(isJson(type)).toBe(expected);
  });

  test.each([
    ["application/json", true],
    ["application/json; charset=utf-8", true],
    ['application/json; charset="UTF-8"', true],
    ["application/json; charset=utf8", true],
    ["application/json; charset=utf-16", false],
    ["application/json; charset=iso-8859-1", false],
    ["application/json; charset=", false],
  ])("%s is UTF-8: %s", (header, expected) => {
    const mediaType = parseMediaType(header);
    expect(mediaType && charsetIsUtf8(mediaType)).toBe(expected);
  });
});
