import { expect, test } from "vitest";
import { acceptsMultipart } from "../../../../src/capabilities/batch/multipart/acceptsMultipart.js";

test.each([
  [undefined, "multipart"],
  ["", "multipart"],
  ["*/*", "multipart"],
  ["multipart/mixed", "multipart"],
  ["Multipart/*", "multipart"],
  ["application/json", "json"],
  ["APPLICATION/JSON ; charset=utf-8", "json"],
  ["application/*", "json"],
  ["application/json, multipart/mixed", "multipart"],
  ["application/json, text/plain, */*", "multipart"],
  ["application/json, multipart/mixed;q=0.9", "json"],
  ["application/json;q=0.9, multipart/mixed", "multipart"],
  ["application/json, */*;q=0.5", "json"],
  ["application/json;q=0, */*", "multipart"],
  ["multipart/mixed;q=0, */*;q=0.1", "json"],
  ["*/*;q=0.1, multipart/mixed;q=0.050, application/*;q=0.2, application/json;q=0.01", "multipart"],
  ["application/json;q=0.001", "json"],
  ['application/json;x="a,b;q=0";Q=1.000, multipart/mixed;q=0.999', "json"],
  ["application/json;q=2", "multipart"],
  ["application/json;q=0.1234", "multipart"],
  ["application/json;q=0.2, application/json;q=0.9, multipart/mixed;q=0.5", "json"],
  ["text/html", "multipart"],
  [", ,application/json,", "json"],
])("Accept: %s is answered as %s", (accept, answer) => {
  expect(acceptsMultipart(accept)).toBe(answer);
});
