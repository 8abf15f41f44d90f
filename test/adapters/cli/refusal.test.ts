import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { TransientError } from "../../../adapters/cli/commandError.js";
import { connectionFault } from "../../../adapters/cli/request/connectionFault.js";
import { problemText } from "../../../adapters/cli/request/problemText.js";
import { parseRetryAfter, refusalOf } from "../../../adapters/cli/request/refusal.js";

const url = new URL("http://host.test/imports");

describe("a problem", () => {
  test("is told with all that was wrong, where, and what is allowed", () => {
    const problem = {
      status: 400,
      title: "Bad Request",
      code: "INVALID_VALUE",
      detail: "2 problems were found.",
      errors: [
        { code: "INVALID_VALUE", detail: "Wrong mode.", parameter: "mode", allowed: ["insert", "update"] },
        { code: "UNKNOWN_FIELD", detail: "No such field.", pointer: "/filter/nam", hint: 'did you mean "name"', maximum: 7 },
      ],
    };
    expect(problemText({ url, status: 400, text: JSON.stringify(problem) })).toBe(
      [
        "400 Bad Request (INVALID_VALUE): 2 problems were found.",
        "  - Wrong mode.",
        "    parameter: mode",
        "    allowed: insert, update",
        "  - No such field.",
        "    pointer: /filter/nam",
        "    maximum: 7",
        '    hint: did you mean "name"',
      ].join("\n"),
    );
  });

  test.each([
    ["a page of a proxy", 502, "<html>Bad gateway</html>", "http://host.test/imports answers 502 Bad Gateway."],
    ["nothing", 404, "", "http://host.test/imports answers 404 Not Found."],
    ["a text", 404, "Cannot POST\u001b[2J", "http://host.test/imports answers 404 Not Found: Cannot POST [2J."],
    ["other JSON", 404, '{"message":"no"}', 'http://host.test/imports answers 404 Not Found: {"message":"no"}.'],
    ["JSON of no shape", 400, '{"detail":"no","errors":[null,7,{}],"title":7}', "400 7: no\n  - ?"],
    ["a fault of the server", 500, '{"detail":"Oh.","requestId":"r1"}', "500 Internal Server Error: Oh.\n  request r1"],
  ])("that is %s is told as well", (_, status, text, expected) => {
    expect(problemText({ url, status, text })).toBe(expected);
  });
});

test.each([
  [429, "", true],
  [503, "", true],
  [502, "", true],
  [408, "", true],
  [409, '{"code":"IDEMPOTENCY_KEY_IN_FLIGHT"}', true],
  [409, '{"code":"JOB_FINISHED"}', false],
  [500, "", false],
  [422, "", false],
])("After %i %s another try makes sense: %s", (status, text, isTransient) => {
  expect(refusalOf({ url, status, text, retryAfter: undefined }, 0) instanceof TransientError).toBe(isTransient);
});

test.each([
  [undefined, 0],
  ["7", 7_000],
  ["Thu, 01 Jan 1970 00:01:00 GMT", 60_000],
  ["Wed, 31 Dec 1969 23:59:00 GMT", 0],
  ["soon", 0],
])("Retry-After: %s is a wait of %i milliseconds", (header, ms) => {
  expect(parseRetryAfter(header, 0)).toBe(ms);
});

describe("a request without an answer", () => {
  test("is worth another try where nobody listens", async () => {
    const server = createServer().listen(0);
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const at = new URL(`http://127.0.0.1:${port}/`);
    const error = await fetch(at).catch((caught: unknown) => connectionFault(caught, at));
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ message: `No response from http://127.0.0.1:${port}: ECONNREFUSED.` });
  });

  test("is not where the name or the certificate is wrong", () => {
    for (const code of ["ENOTFOUND", "CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT"]) {
      const error = new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code }) });
      expect(connectionFault(error, url)).not.toBeInstanceOf(TransientError);
      expect(connectionFault(error, url).message).toBe(`No response from http://host.test: ${code}.`);
    }
  });
});
