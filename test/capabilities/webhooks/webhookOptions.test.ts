import { ConfigurationError, createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { undiciTransport } from "restwright/undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { startOnce } from "../../../src/engine/service/start.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";
import { orders, Receiver, secrets } from "./emissionStage.js";

type Hooks = NonNullable<FullServiceOptions["webhooks"]>;

function create(webhooks: Partial<Hooks>, more: Partial<FullServiceOptions> = {}) {
  const service = fullService({
    resources: [orders],
    storage: memoryStorage(),
    secrets,
    webhooks: { transport: new Receiver(), ...webhooks },
    ...more,
  });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return service;
}

class Slow extends Receiver {
  override readonly maxAttemptMs: number;

  constructor(maxAttemptMs: number) {
    super();
    this.maxAttemptMs = maxAttemptMs;
  }
}

test.each(["network", "maxAttemptMs", "send", "close"])("a transport without %s is refused at the start, with what it must have", (member) => {
  const transport = Object.assign(new Receiver(), { [member]: undefined });
  expect(() => create({ transport })).toThrow(
    'webhooks: "transport" must be a Transport, such as undiciTransport(), with network, maxAttemptMs, send, close; got an object.',
  );
});

describe("options of webhooks that cannot work", () => {
  const faulty: readonly (readonly [string, Partial<Hooks>])[] = [
    ["minSecretCharacters", { minSecretCharacters: 4 }],
    ["minSecretCharacters", { minSecretCharacters: 257 }],
    ["scheduleMs", { scheduleMs: [] }],
    ["scheduleMs[1]", { scheduleMs: [0, Number.NaN] }],
    ["scheduleMs[1]", { scheduleMs: [0, -1] }],
    ["maxPerTenant", { maxPerTenant: Number.NaN }],
    ["maxPerTenant", { maxPerTenant: 0 }],
    ["eventBytes", { eventBytes: 1_023 }],
    ["disableAfter.consecutive", { disableAfter: { consecutive: 0 } }],
    ["disableAfter.minDurationMs", { disableAfter: { minDurationMs: -1 } }],
    ["concurrency", { concurrency: 0 }],
    ["perWebhook", { perWebhook: 1.5 }],
    ["pollMs", { pollMs: Number.NaN }],
    ["leaseMs", { leaseMs: 0 }],
    ["keepMs", { keepMs: -1 }],
  ];

  test.each(faulty)("are refused when the service is made: %s, %j", (name, webhooks) => {
    const make = () => create(webhooks);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`${name}"`);
  });

  test("a lease that an attempt may outlive is one of them", () => {
    expect(() => create({ transport: undiciTransport({ headTimeoutMs: 120_000 }) })).toThrow(`"leaseMs"`);
    expect(() => create({ transport: new Slow(37_500) })).toThrow(`"leaseMs"`);
    expect(() => create({ transport: new Slow(Number.NaN) })).toThrow(`"leaseMs"`);
    expect(create({ transport: new Slow(37_499) }).health().status).toBe("ok");
    expect(create({ transport: new Slow(37_500), leaseMs: 75_001 }).health().status).toBe("ok");
    expect(create({ transport: undiciTransport() }).health().status).toBe("ok");
  });

  test.each([["report"], ["report."], ["a b.c"], [`report.${"x".repeat(250)}`], ["webhook.mine"], ["webhook.test"]])(
    "an event of the developer's own cannot be called %j",
    (type) => {
      expect(() => create({ events: [type] })).toThrow(ConfigurationError);
    },
  );

  test("the longest name of an event has 256 characters", async () => {
    const declare = (type: string) =>
      defineResource("things", { schema: z.object({ id: z.int() }), generated: { id: "increment" }, events: { [type]: { on: "create" } } });
    expect(() => declare(`thing.${"x".repeat(251)}`)).toThrow(ConfigurationError);
    const type = `thing.${"x".repeat(250)}`;
    expect(create({ events: [type] }, { resources: [declare(type)] }).health().status).toBe("ok");
  });

  test("the events of a collection do not begin with the service's own word", () => {
    const mine = defineResource("things", {
      schema: z.object({ id: z.int() }),
      generated: { id: "increment" },
      events: { "webhook.created": { on: "create" } },
    });
    expect(() => create({}, { resources: [mine] })).toThrow(ConfigurationError);
  });

  test.each(["webhooks", "jobs"])("a collection cannot be called %s, unless there are none", (name) => {
    const resource = defineResource(name, { schema: z.object({ id: z.int() }), generated: { id: "increment" } });
    expect(() => create({}, { resources: [resource] })).toThrow(`No resource can be called "${name}"`);
    expect(create({}, { resources: [resource], webhooks: undefined }).health().status).toBe("ok");
  });
});

describe("events that nothing delivers", () => {
  test("are refused with the line that adds webhooks", () => {
    const create = () => createService({ resources: [orders], storage: memoryStorage() });
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(
      'orders: "events" has no effect, as nothing in "use" takes care of it: add webhooks({ transport }) of "restwright/webhooks" or subscribers() of "restwright/subscribers" to "use" of createService.',
    );
  });
});

describe("a start of which a part fails", () => {
  test("has not happened, and happens whole the next time", async () => {
    let tries = 0;
    const start = startOnce(
      { resources: [orders], storage: memoryStorage(), secrets },
      {
        load: async () => {},
        started() {
          tries += 1;
          if (tries === 1) throw new Error("The first time it fails.");
        },
      },
    );
    await expect(start.run()).rejects.toThrow("The first time it fails.");
    expect(start.done).toBe(false);
    await start.run();
    await start.run();
    expect([start.done, tries]).toEqual([true, 2]);
  });
});
