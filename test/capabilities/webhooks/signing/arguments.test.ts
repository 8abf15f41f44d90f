import { describe, expect, test } from "vitest";
import * as exported from "../../../../src/capabilities/webhooks/index.js";
import { ConfigurationError, ProblemError, SecretBoxError, WebhookVerificationError } from "../../../../src/capabilities/webhooks/index.js";
import { delivery } from "./vectors.js";

const network = exported.compileNetwork();
const event = { ulid: "01KAJ2Q8ZJ6X0V7M5T3R9W1YHB", type: "order.created", now: 0, apiVersion: "2026-01-01", data: { orderId: 7 } };
const signed = { headers: { ...exported.sign(delivery) }, rawBody: delivery.body, secrets: delivery.secrets, now: delivery.timestamp * 1_000 };
const ended = { attempt: 1, endedAt: 0, scheduleMs: [0, 60_000], random: () => 0.5, retryAfterMs: 0 };
const options = {
  allowCidrs: ["127.0.0.1/32"],
  denyCidrs: [],
  allowHosts: ["localhost"],
  denyHosts: ["*.example.com"],
  allowedPorts: [8443],
  allowIpLiterals: true,
  ca: "",
};

/** Arguments that are right, for each function of the entry. */
const calls: Readonly<Record<string, readonly unknown[]>> = {
  createSecretBox: [["a secret of the service itself"]],
  checkAddress: ["192.0.2.1", network],
  nextAttempt: [ended],
  classify: [
    { status: 200, errorCode: undefined },
    { endedAt: 0, retryAfterMs: 5, disableOnGone: true },
  ],
  serializeEvent: [event, 1_000],
  serializeResourceEvent: [event, { orderId: 7 }, 170],
  compileEventFilter: [{ currency: ["EUR"], total: { gte: 100 }, status: "paid" }],
  compileEventPatterns: [["order.*"], { known: ["order.created"] }],
  matchEvent: ["order.*", "order.created"],
  compileNetwork: [options],
  parseRetryAfter: ["120", 0],
  eventVersions: ["2026-11-01", { "2026-01-01": { "order.created": (data: object) => data } }],
  generateSecret: [],
  parseSecret: ["a secret of a client", { minimumCharacters: 8 }],
  secretHint: ["a secret of a client"],
  verificationSecret: ["a secret of a client"],
  sign: [delivery],
  checkWebhookUrl: ["https://hooks.example.com/a", network],
  verifyWebhook: [{ ...signed, toleranceSeconds: 300, mode: "webhook-signature" }],
};

/** Its options are those of a service: test/ground/options looks at them. */
const capability = "webhooks";
const errors = ["ConfigurationError", "ProblemError", "SecretBoxError", "WebhookVerificationError"];

class Unreadable {
  toString(): string {
    throw new RangeError("toString");
  }
}

function unreadable(names: readonly string[]): object {
  const get = () => {
    throw new RangeError("a getter");
  };
  return Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, { get, enumerable: true }])));
}

const nothing = [null, undefined, Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, 1e308, 5n, "", "\0", true, [], [null], [Number.NaN], {}];
const wrong = [...nothing, Symbol("s"), () => undefined, new Date(Number.NaN), Object.create(null), new Unreadable(), [new Unreadable()], new Map()];

/** The right arguments with one of them, or one of its members, wrong. */
function* wrongCalls(given: readonly unknown[]): Generator<readonly unknown[]> {
  for (const [index, argument] of given.entries()) {
    const names = typeof argument === "object" && argument !== null ? Object.keys(argument) : [];
    for (const value of [...wrong, unreadable(names)]) yield given.with(index, value);
    if (Array.isArray(argument)) continue;
    for (const name of names)
      for (const value of [...wrong, unreadable(["a", "length"])]) yield given.with(index, { ...(argument as object), [name]: value });
  }
}

/** What is ours to throw; a TypeError of another origin has no such brand. */
function isOurs(error: unknown): boolean {
  return [ConfigurationError, ProblemError, SecretBoxError, WebhookVerificationError].some((kind) => error instanceof kind);
}

describe("the functions of restwright/webhooks", () => {
  test("are all in the table", () => {
    const functions = Object.entries(exported).filter(([, value]) => typeof value === "function");
    expect(functions.map(([name]) => name).sort()).toEqual([...Object.keys(calls), ...errors, capability].sort());
  });

  test.each(Object.entries(calls))("%s takes what is right, and refuses what is wrong with errors of its own", (name, given) => {
    const call = (exported as unknown as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>)[name];
    if (call === undefined) throw new Error(`There is no ${name}.`);
    expect(() => call(...given)).not.toThrow();
    for (const each of wrongCalls(given)) {
      try {
        call(...each);
      } catch (error) {
        expect(isOurs(error), `${name} threw ${String(error instanceof Error ? error.stack : error)}`).toBe(true);
      }
    }
  });

  const anything = (value: unknown) => value as never;
  test.each<readonly [string, string, () => unknown]>([
    ["verifyWebhook", `"secrets"`, () => exported.verifyWebhook({ ...signed, secrets: anything("a secret") })],
    ["verifyWebhook", `"secrets[1]"`, () => exported.verifyWebhook({ ...signed, secrets: ["a secret", anything(5)] })],
    ["verifyWebhook", `"headers"`, () => exported.verifyWebhook({ ...signed, headers: anything(null) })],
    ["verifyWebhook", `"rawBody"`, () => exported.verifyWebhook({ ...signed, rawBody: anything({}) })],
    ["verifyWebhook", `"received"`, () => exported.verifyWebhook(anything(null))],
    ["sign", `"id"`, () => exported.sign({ ...delivery, id: anything(5) })],
    ["sign", `"body"`, () => exported.sign({ ...delivery, body: anything({}) })],
    ["nextAttempt", `"retryAfterMs"`, () => exported.nextAttempt({ ...ended, retryAfterMs: Number.NaN })],
    ["nextAttempt", `"attempt"`, () => exported.nextAttempt({ ...ended, attempt: 0.5 })],
    ["classify", `"retryAfterMs"`, () => exported.classify({ status: 429 }, { endedAt: 0, retryAfterMs: Number.NaN })],
    ["parseRetryAfter", `"value"`, () => exported.parseRetryAfter(anything(120), 0)],
    ["matchEvent", `"type"`, () => exported.matchEvent("*", anything(null))],
    ["matchEvent", `"type"`, () => exported.matchEvent("*", "no type")],
    ["checkWebhookUrl", `"input"`, () => exported.checkWebhookUrl(anything(null))],
    ["checkWebhookUrl", `"policy"`, () => exported.checkWebhookUrl("https://example.com/", anything({}))],
    ["serializeEvent", `"now"`, () => exported.serializeEvent({ ...event, now: 1e300 })],
    ["compileNetwork", `"allowHosts"`, () => exported.compileNetwork({ allowHosts: anything("localhost") })],
  ])("%s names %s", (_name, argument, call) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(argument);
  });

  test("never repeat a secret", () => {
    const secret = "a secret that nobody should read";
    expect(() => exported.verifyWebhook({ ...signed, secrets: anything(secret) })).toThrow(/^(?!.*nobody)/);
  });

  test("have defaults for what need not be given", () => {
    expect(exported.parseRetryAfter(null)).toBeUndefined();
    expect(exported.parseRetryAfter("120")).toBe(120_000);
    const next = exported.nextAttempt({ attempt: 1, endedAt: 0 }) ?? 0;
    expect(next).toBeGreaterThanOrEqual(48_000);
    expect(next).toBeLessThanOrEqual(72_000);
    expect(exported.checkWebhookUrl("https://hooks.example.com/a").href).toBe("https://hooks.example.com/a");
    expect(() => exported.checkWebhookUrl("https://localhost/")).toThrow(ProblemError);
  });

  test("refuse options that there are not", () => {
    expect(() => exported.compileNetwork(anything({ allowHost: ["localhost"] }))).toThrow(`did you mean "allowHosts"?`);
  });
});
