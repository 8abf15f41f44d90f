import { createService, type Storage } from "restwright";
import { type JobOptions, job, jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../../tools/eventually.js";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const nightly = {
  name: "nightly",
  cron: "0 2 * * *",
  job: "export",
  input: ({ at }: { at: Date }) => ({ day: at.toISOString().slice(0, 10) }),
} as const;

type Schedules = NonNullable<JobOptions["schedules"]>;

/** Services on one storage under one clock, and the days that their handler was given. */
class Stage {
  readonly clock = new FakeClock(Date.UTC(2026, 0, 1, 12));
  readonly storage: Storage = memoryStorage({ clock: this.clock });
  readonly days: string[] = [];
  readonly logged: string[] = [];

  async open(schedules: Schedules = [nightly], options: Partial<JobOptions> = {}) {
    const { clock, days } = this;
    const note = (_: object, message: string) => void this.logged.push(message);
    const handlers = {
      export: job({
        input: z.object({ day: z.string() }),
        run({ input }) {
          days.push(input.day);
          return input.day;
        },
      }),
    };
    const service = createService({
      resources: [],
      storage: { ...this.storage, close: async () => {} },
      secrets: ["a secret of the service itself"],
      logger: { error: note, warn: note, info: () => {}, debug: () => {} },
      ...{ clock, timers: clock },
      use: [jobs({ ...options, handlers, schedules: schedules as [] })],
    });
    onTestFinished(() => service.close({ graceMs: 0 }));
    await service.start();
    return service;
  }

  /** The ticks that wait as jobs, and those that have ended. */
  async states(...days: readonly string[]): Promise<readonly (string | undefined)[]> {
    return Promise.all(days.map(async (at) => (await this.storage.jobs?.get(`nightly@${at}T02:00:00.000Z`))?.status));
  }

  /** Lets time pass step by step until something holds. */
  async pass(stepMs: number, holds: () => void | Promise<void>): Promise<void> {
    await eventually(async () => {
      this.clock.advance(stepMs);
      await holds();
    });
  }
}

test("each tick becomes one job, whichever of three processes is first", async () => {
  const stage = new Stage();
  for (let count = 0; count < 3; count += 1) await stage.open();
  await eventually(async () => expect(await stage.states("2026-01-02", "2026-01-03", "2026-01-04")).toEqual(["queued", "queued", undefined]));
  await stage.pass(hour, () => expect(stage.days.length).toBeGreaterThanOrEqual(5));
  expect(stage.days.slice(0, 5)).toEqual(["2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05", "2026-01-06"]);
  expect(new Set(stage.days).size).toBe(stage.days.length);
});

test("ticks that come while a process is busy, or its storage is away, are made up for", async () => {
  const stage = new Stage();
  await stage.open([{ ...nightly, cron: "* * * * * *", input: ({ at }) => ({ day: at.toISOString().slice(11, 19) }) }]);
  const planned = (time: string) => stage.storage.jobs?.get(`nightly@2026-01-01T${time}.000Z`);
  await eventually(async () => expect(await planned("12:00:02")).toBeDefined());
  // Half a minute in one turn of the event loop.
  stage.clock.advance(30_000);
  await stage.pass(10, () => expect(stage.days.length).toBeGreaterThanOrEqual(30));
  const seconds = Array.from({ length: 30 }, (_, index) => `12:00:${String(index + 1).padStart(2, "0")}`);
  expect(stage.days.toSorted().slice(0, 30)).toEqual(seconds);
  expect(new Set(stage.days).size).toBe(stage.days.length);
});

test("of the ticks that were missed while all were down, the last one runs late", async () => {
  const stage = new Stage();
  const first = await stage.open();
  await eventually(async () => expect(await stage.states("2026-01-03")).toEqual(["queued"]));
  await first.close({ graceMs: 0 });
  stage.clock.advance(10 * day);
  await stage.open();
  await stage.pass(minute, () => expect(stage.days.length).toBeGreaterThanOrEqual(1));
  await eventually(async () => expect(await stage.states("2026-01-02", "2026-01-03", "2026-01-12")).toEqual(["completed", "completed", "queued"]));
  expect(stage.days).toEqual(["2026-01-03"]);
  expect(stage.logged.join()).toContain("A later one was missed too");
  await stage.pass(hour, () => expect(stage.days).toContain("2026-01-12"));
});

test("or none of them does, if they are skipped; one that is minutes late runs", async () => {
  const stage = new Stage();
  const schedules = [{ ...nightly, ifMissed: "skip" }] as const;
  const first = await stage.open(schedules);
  await eventually(async () => expect(await stage.states("2026-01-03")).toEqual(["queued"]));
  await first.close({ graceMs: 0 });
  stage.clock.advance(10 * day);
  const second = await stage.open(schedules);
  await eventually(async () => expect(await stage.states("2026-01-02", "2026-01-03")).toEqual(["completed", "completed"]));
  expect(stage.days).toEqual([]);
  expect(stage.logged.join()).toContain("Nobody could begin it within five minutes.");
  await eventually(async () => expect(await stage.states("2026-01-12")).toEqual(["queued"]));
  await second.close({ graceMs: 0 });
  // From noon of the 11th until four minutes after the tick.
  stage.clock.advance(14 * hour + 4 * minute);
  await stage.open(schedules);
  await eventually(() => expect(stage.days).toEqual(["2026-01-12"]));
});

test("a schedule that was removed, or has other times now, leaves out what it had planned", async () => {
  for (const later of [[{ ...nightly, name: "other" }], [{ ...nightly, cron: "0 3 * * *" }]]) {
    const stage = new Stage();
    const first = await stage.open();
    await eventually(async () => expect(await stage.states("2026-01-03")).toEqual(["queued"]));
    await first.close({ graceMs: 0 });
    await stage.open(later);
    await stage.pass(hour, () => expect(stage.days).toContain("2026-01-03"));
    expect(stage.days.filter((at) => at === "2026-01-02")).toHaveLength(1);
    expect(stage.logged.join()).toMatch(/There is no schedule "nightly" any more|no longer has this time/);
  }
});

test("a process that does not work plans nothing", async () => {
  const stage = new Stage();
  const service = await stage.open([nightly], { work: false });
  stage.clock.advance(2 * day);
  expect(await service.schedules.list()).toEqual([
    { name: "nightly", cron: "0 2 * * *", zone: "UTC", job: "export", next: new Date("2026-01-04T02:00:00Z") },
  ]);
  expect(await stage.states("2026-01-02", "2026-01-04")).toEqual([undefined, undefined]);
});

test("what is wrong is refused, at the latest at the start", async () => {
  const stage = new Stage();
  const refused: readonly (readonly [unknown, string])[] = [
    [[{ ...nightly, job: "exprot" }], 'names the handler "exprot"; there is export'],
    [[nightly, nightly], 'two schedules have the name "nightly"'],
    [[{ ...nightly, name: "a b" }], 'got "a b"'],
    [[{ ...nightly, zoen: "UTC" }], 'did you mean "zone"'],
    [[{ ...nightly, cron: "0 25 * * *" }], 'the schedule "nightly" cannot be read'],
  ];
  for (const [schedules, message] of refused) await expect(stage.open(schedules as Schedules), message).rejects.toThrow(message);
});
