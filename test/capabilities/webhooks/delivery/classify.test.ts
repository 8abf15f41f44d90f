import { describe, expect, test } from "vitest";
import { classify } from "../../../../src/capabilities/webhooks/delivery/classify.js";
import { ConfigurationError } from "../../../../src/ground/problem/index.js";

const endedAt = Date.UTC(2026, 0, 1);
const success = { outcome: "success", failures: "reset" };
const retryable = { outcome: "retryable", failures: "add" };
const terminal = { outcome: "terminal", failures: "add" };

describe("an attempt", () => {
  test.each([
    [200, success],
    [201, success],
    [204, success],
    [299, success],
    [408, retryable],
    [429, retryable],
    [500, retryable],
    [502, retryable],
    [503, retryable],
    [599, retryable],
    [400, terminal],
    [401, terminal],
    [404, terminal],
    [407, terminal],
    [409, terminal],
    [411, terminal],
    [428, terminal],
    [430, terminal],
    [499, terminal],
    [410, { outcome: "terminal", failures: "keep", disable: "gone" }],
    [300, { ...terminal, errorCode: "REDIRECT_REFUSED" }],
    [301, { ...terminal, errorCode: "REDIRECT_REFUSED" }],
    [399, { ...terminal, errorCode: "REDIRECT_REFUSED" }],
    [0, { ...terminal, errorCode: "BAD_STATUS" }],
    [99, { ...terminal, errorCode: "BAD_STATUS" }],
    [100, { ...terminal, errorCode: "BAD_STATUS" }],
    [199, { ...terminal, errorCode: "BAD_STATUS" }],
    [600, { ...terminal, errorCode: "BAD_STATUS" }],
    [999, { ...terminal, errorCode: "BAD_STATUS" }],
  ])("that was answered by %i", (status, verdict) => {
    expect(classify({ status }, { endedAt })).toEqual(verdict);
  });

  test.each(["DNS_FAILED", "CONNECTION_REFUSED", "CONNECTION_RESET", "TLS_FAILED", "BAD_RESPONSE", "TIMEOUT", "CONNECTION_CLOSED", "constructor"])(
    "that ended with %s may be repeated, and counts",
    (errorCode) => {
      expect(classify({ errorCode }, { endedAt })).toEqual({ ...retryable, errorCode });
    },
  );

  test("whose address was blocked is not repeated, and counts", () => {
    expect(classify({ errorCode: "ADDRESS_BLOCKED" }, { endedAt })).toEqual({ ...terminal, errorCode: "ADDRESS_BLOCKED" });
  });

  test.each(["INTERNAL", "ABORTED"])("that ended with %s was none", (errorCode) => {
    expect(classify({ errorCode }, { endedAt })).toEqual({ outcome: "internal", failures: "keep", errorCode });
  });

  test("that was answered by 410 is like any other 4xx where the option says so", () => {
    expect(classify({ status: 410 }, { endedAt, disableOnGone: false })).toEqual(terminal);
  });

  test.each([
    [429, 120_000, 120_000],
    [503, 120_000, 120_000],
    [429, 0, 0],
    [503, 86_400_000, 3_600_000],
  ])("that was answered by %i with Retry-After of %i ms pauses the webhook for %i", (status, retryAfterMs, pauseMs) => {
    expect(classify({ status }, { endedAt, retryAfterMs })).toEqual({ ...retryable, pausedUntil: endedAt + pauseMs });
  });

  test.each([200, 400, 408, 410, 500, 502, 504])("that was answered by %i pauses nothing", (status) => {
    expect(classify({ status }, { endedAt, retryAfterMs: 120_000 })).not.toHaveProperty("pausedUntil");
  });

  test.each([{}, { status: Number.NaN }])("that ended with %j is a mistake", (end) => {
    expect(() => classify(end, { endedAt })).toThrow(ConfigurationError);
  });
});
