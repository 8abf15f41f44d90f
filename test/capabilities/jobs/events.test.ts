import { describe, expect, test } from "vitest";
import { EventStage } from "./eventStage.js";
import { settle } from "./stage.js";

describe("events of a job", () => {
  test("begin with the job as it is, tell each change, and end with the job", async () => {
    const stage = new EventStage();
    const { id, advance, complete } = await stage.begun();
    const target = `/batches/${id}`;
    const listener = await stage.listen(id);
    expect([listener.status, listener.headers]).toEqual([
      200,
      { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
    ]);
    const shown = [await stage.send({ target })];
    for (const change of [() => advance(3), () => advance(7), complete]) {
      await change();
      await stage.pass(250);
      shown.push(await stage.send({ target }));
    }
    expect(listener.events).toEqual(
      shown.map(({ json, headers }, index) => ({
        event: index < 3 ? "progress" : "end",
        lastEventId: String(headers["etag"]).replaceAll('"', ""),
        data: json,
      })),
    );
    expect(listener.events.map(({ data }) => [data.status, data.progress])).toEqual([
      ["processing", 0],
      ["processing", 0.3],
      ["processing", 0.7],
      ["completed", 1],
    ]);
    expect([listener.ended, listener.retryMs, stage.clock.pending]).toEqual(["end", 1_000, 0]);
  });

  test("of a queued job tell that it has begun, and that it was canceled", async () => {
    const stage = new EventStage();
    const first = await stage.listen(await stage.create());
    const second = await stage.listen(await stage.create());
    await stage.claim();
    await stage.store.cancel("job2");
    await stage.pass(250);
    expect([first, second].map(({ events }) => events.map(({ event, data }) => [event, data.status, data.error?.code]))).toEqual([
      [
        ["progress", "queued", undefined],
        ["progress", "processing", undefined],
      ],
      [
        ["progress", "queued", undefined],
        ["end", "failed", "CANCELLED"],
      ],
    ]);
    expect([first.ended, second.ended]).toEqual([undefined, "end"]);
  });

  test("are at most four in a second, and show the newest state", async () => {
    const stage = new EventStage();
    const { id, advance } = await stage.begun();
    const listener = await stage.listen(id);
    for (let processed = 1; processed <= 10; processed++) {
      await advance(processed);
      await stage.pass(100, 50);
    }
    expect(listener.events.map(({ data }) => data.processedRows)).toEqual([0, 3, 5, 8, 10]);
  });

  test("are none while nothing changes, but a heartbeat each 15 seconds", async () => {
    const stage = new EventStage();
    const { id, advance } = await stage.begun();
    const listener = await stage.listen(id);
    await stage.pass(14_750);
    expect([listener.events.length, listener.comments]).toEqual([1, 0]);
    await stage.pass(250);
    expect([listener.events.length, listener.comments]).toEqual([1, 1]);
    await stage.pass(10_000);
    await advance(1);
    await stage.pass(15_000);
    expect([listener.events.length, listener.comments]).toEqual([2, 1]);
    await stage.pass(250);
    expect(listener.comments).toBe(2);
  });

  test("have a heartbeat also when the clock was set back", async () => {
    const stage = new EventStage();
    const { id } = await stage.begun();
    const listener = await stage.listen(id);
    // The time of the machine, not that of its timers.
    const now = stage.clock.now.bind(stage.clock);
    stage.clock.now = () => now() - 3_600_000;
    await stage.pass(15_250);
    expect(listener.comments).toBeGreaterThan(0);
  });

  test("show the page of results that is asked for", async () => {
    const stage = new EventStage();
    const entries = [0, 1, 2].map((position) => ({ position, value: { index: position, status: 201 } }));
    const id = await stage.create({ entries, progress: { processed: 3, total: 3, counts: { succeeded: 3 } } });
    const [first, second] = [await stage.listen(id), await stage.listen(id, { target: `/batches/${id}?after=1` })];
    expect([first, second].map(({ events }) => events[0]?.data.result.results.map(({ index }: { index: number }) => index))).toEqual([[0, 1], [2]]);
    expect([first.events[0]?.data.links.next, second.events[0]?.data.links.next]).toEqual([`/batches/${id}?after=1`, undefined]);
  });

  test("end at once for a job that has ended", async () => {
    const stage = new EventStage();
    const { id, complete } = await stage.begun();
    await complete();
    const listener = await stage.listen(id);
    expect([listener.events.map(({ event }) => event), listener.ended, stage.clock.pending]).toEqual([["end"], "end", 0]);
  });

  test("end with null for a job that is removed meanwhile", async () => {
    const stage = new EventStage();
    const { id, complete } = await stage.begun();
    const listener = await stage.listen(id);
    await complete();
    await stage.store.remove(id);
    await stage.pass(250);
    expect([listener.events.slice(1), listener.ended]).toEqual([[{ event: "end", lastEventId: listener.events[0]?.lastEventId, data: null }], "end"]);
  });
});

describe("Last-Event-ID", () => {
  test("spares what the client has heard already, and nothing else", async () => {
    const stage = new EventStage();
    const { id, advance, complete } = await stage.begun();
    const headers = { "last-event-id": (await stage.get(id)).version };
    const listener = await stage.listen(id, { headers });
    const stranger = await stage.listen(id, { headers: { "last-event-id": "another" } });
    expect([listener.events, listener.retryMs, stranger.events.length]).toEqual([[], 1_000, 1]);
    await advance(2);
    await stage.pass(250);
    expect(listener.events.map(({ data }) => data.processedRows)).toEqual([2]);
    await complete();
    const ended = await stage.listen(id, { headers });
    expect(ended.events.map(({ event }) => event)).toEqual(["end"]);
  });

  test("of the end is answered with 204, which closes an EventSource, until the job changes", async () => {
    const stage = new EventStage();
    const { id, complete } = await stage.begun();
    await complete();
    const [end] = (await stage.listen(id)).events;
    const again = { target: `/batches/${id}`, headers: { accept: "text/event-stream", "last-event-id": String(end?.lastEventId) } };
    const { status, headers, text } = await stage.send(again);
    expect([end?.event, status, text, headers["content-type"], headers["cache-control"]]).toEqual(["end", 204, "", undefined, "no-store"]);
    expect(await stage.send({ ...again, headers: { ...again.headers, accept: "application/json" } })).toMatchObject({ status: 200, json: { id } });
    await stage.store.remove(id);
    expect((await stage.send(again)).status).toBe(404);
  });
});

describe("a listener", () => {
  test.each([
    ["goes away", (listener: { leave(): void }) => listener.leave()],
    ["is let go of by its host", (listener: { release(): Promise<unknown> }) => void listener.release()],
    ["is of a service that closes", (_listener: unknown, stage: EventStage) => stage.closing.abort()],
  ])("that %s is asked nothing more for, and has no timer left", async (_, end) => {
    const stage = new EventStage();
    const { id } = await stage.begun();
    const listener = await stage.listen(id);
    await stage.pass(1_000);
    expect(stage.clock.pending).toBe(1);
    end(listener, stage);
    await settle();
    const { get } = stage.store;
    let polls = 0;
    stage.store.get = async (job) => {
      polls += 1;
      return get(job);
    };
    expect([listener.ended, stage.clock.pending]).toEqual(["end", 0]);
    await stage.pass(1_000);
    expect([polls, listener.events.length]).toEqual([0, 1]);
  });

  test("who goes away, or whose service closes, while the store is asked hears of no fault", async () => {
    const stage = new EventStage();
    const { id } = await stage.begun();
    const [gone, closed] = [await stage.listen(id), await stage.listen(id)];
    const fail: ((error: Error) => void)[] = [];
    stage.store.get = () => new Promise((_, reject) => void fail.push(reject));
    await stage.pass(250);
    gone.leave();
    stage.closing.abort();
    for (const each of fail) each(new Error("closed"));
    await settle();
    expect([gone.ended, closed.ended, fail.length, stage.logged]).toEqual(["end", "end", 2, []]);
  });

  test("whose service closes already hears of the job as it is", async () => {
    const stage = new EventStage();
    const { id } = await stage.begun();
    stage.closing.abort();
    const listener = await stage.listen(id);
    expect([listener.events.length, listener.ended, stage.clock.pending]).toEqual([1, "end", 0]);
  });

  test("is broken off where the store fails, never ended, and the fault is told", async () => {
    const stage = new EventStage();
    const { id } = await stage.begun();
    const listener = await stage.listen(id);
    stage.store.get = () => Promise.reject(new Error("disk"));
    await stage.pass(250);
    expect([listener.ended, stage.clock.pending]).toEqual(["failure", 0]);
    expect(stage.logged).toMatchObject([{ level: "error", facts: { err: new Error("disk"), requestId: "r" } }]);
  });

  test("who does not read is asked for nothing", async () => {
    const stage = new EventStage();
    const { id } = await stage.begun();
    const { body } = await stage.answer({ target: `/batches/${id}`, headers: { accept: "text/event-stream" } });
    expect([typeof body, stage.clock.pending]).toEqual(["object", 0]);
  });
});
