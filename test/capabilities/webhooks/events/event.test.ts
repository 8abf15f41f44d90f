import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EventInput, serializeEvent, serializeResourceEvent } from "../../../../src/capabilities/events/event.js";
import { ConfigurationError } from "../../../../src/ground/problem/index.js";
import { thrownBy } from "../thrown.js";

const input: EventInput = {
  ulid: "01JD0000000000000000000000",
  type: "order.created",
  now: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  apiVersion: "2026-01-01",
  data: { orderId: 7, amount: 99.5 },
};
const withText = (bytes: number) => {
  const rest = serializeEvent({ ...input, data: { text: "" } }).bytes;
  return { ...input, data: { text: "x".repeat(bytes - rest) } };
};

describe("an event", () => {
  test("is written once, with its members in the order of the interface", () => {
    expect(serializeEvent(input)).toEqual({
      id: "evt_01JD0000000000000000000000",
      type: "order.created",
      createdAt: "2026-01-02T03:04:05.006Z",
      body:
        `{"id":"evt_01JD0000000000000000000000","type":"order.created","createdAt":"2026-01-02T03:04:05.006Z",` +
        `"apiVersion":"2026-01-01","data":{"orderId":7,"amount":99.5}}`,
      bytes: 162,
      dataJson: JSON.stringify(input.data),
      isCut: false,
    });
  });

  test("holds the data as JSON has it, and survives UTF-8", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), fc.string({ unit: "binary" }), (data, apiVersion) => {
        const { body, bytes } = serializeEvent({ ...input, data, apiVersion });
        const event = JSON.parse(body);
        expect(event.data).toEqual(JSON.parse(JSON.stringify(data)));
        expect(event.apiVersion).toBe(apiVersion);
        expect(Buffer.from(body).toString()).toBe(body);
        expect(Buffer.byteLength(body)).toBe(bytes);
      }),
      { seed: 11 },
    );
    expect(serializeEvent({ ...input, data: { half: "\ud800", at: new Date(0) } }).body).toContain(
      `{"half":"\\ud800","at":"1970-01-01T00:00:00.000Z"}`,
    );
  });

  test("may be as large as the limit, counted in bytes", () => {
    expect(serializeEvent(withText(262_144)).bytes).toBe(262_144);
    const error = thrownBy(() => serializeEvent(withText(262_145)));
    expect(error).toMatchObject({ code: "EVENT_TOO_LARGE", status: 413, extensions: { maximum: 262_144 } });
    expect(error).toMatchObject({ message: `The event "order.created" has 262145 bytes; allowed: 262144.` });
    expect(thrownBy(() => serializeEvent({ ...input, data: { text: "é".repeat(90) } }, 300))).toMatchObject({ code: "EVENT_TOO_LARGE" });
  });

  test("writes integers of 64 bits as text", () => {
    expect(JSON.parse(serializeEvent({ ...input, data: { id: 2n ** 60n } }).body).data).toEqual({ id: String(2n ** 60n) });
  });

  test.each([
    ["an array", [1]],
    ["what writes itself as a text", { toJSON: () => "text" }],
    ["what writes itself as nothing", { toJSON: () => undefined }],
    ["nothing", null as unknown as object],
  ])("cannot have data that is %s", (_what, data) => {
    expect(() => serializeEvent({ ...input, data })).toThrow(ConfigurationError);
  });

  test("cannot have data that holds itself", () => {
    const data: Record<string, unknown> = {};
    data["self"] = data;
    expect(thrownBy(() => serializeEvent({ ...input, data }))).toMatchObject({ name: "ConfigurationError", cause: expect.any(TypeError) });
  });

  test.each(["", "order.", "order..created", "order.*", "order created", "x".repeat(257)])("cannot have the type %j", (type) => {
    expect(() => serializeEvent({ ...input, type })).toThrow(ConfigurationError);
  });
});

describe("the event of a write to a resource", () => {
  const identity = { orderId: 7 };

  test("is like any other within the limit", () => {
    expect(serializeResourceEvent(withText(262_144), identity)).toEqual(serializeEvent(withText(262_144)));
  });

  test("is cut to the identity above it", () => {
    const event = serializeResourceEvent(withText(262_145), identity);
    const cut = serializeEvent({ ...input, data: { orderId: 7, truncated: true } });
    expect(event).toEqual({ ...cut, dataJson: event.dataJson, isCut: true });
    // What filters look at is whole.
    expect(JSON.parse(event.dataJson)).not.toHaveProperty("truncated");
    expect(JSON.parse(event.body)).toMatchObject({ id: event.id, data: { orderId: 7, truncated: true } });
  });

  test("is refused where even that is too large", () => {
    expect(thrownBy(() => serializeResourceEvent(input, { id: "x".repeat(200) }, 150))).toMatchObject({ code: "EVENT_TOO_LARGE" });
  });
});
