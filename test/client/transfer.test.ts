// @long

import { ApiError, attempt, createClient, JobFailedError, NetworkError } from "restwright/client";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openShop, type ShopService, ways } from "./shopStage.js";

const csvOf = (prefix: string, rows: number) =>
  `name,email\n${Array.from({ length: rows }, (_, index) => `${prefix} ${index},${prefix}${index}@example.com`).join("\n")}\n`;

describe.each(ways)("Imports and exports of the client, %s,", (way) => {
  const stage = openShop(way);

  test("import a file by a job, with its progress", async () => {
    const shop = stage().client();
    const job = await shop.users.import(new File([csvOf("first", 50)], "users.csv"), { mode: "upsert", key: "email" });
    const progress: number[] = [];
    for await (const state of job) progress.push(state.progress);
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(await job.result()).toMatchObject({ created: 50, updated: 0, failed: 0 });
    const again = await shop.users.import(csvOf("first", 51).replace("name,", "Full name,"), {
      format: "csv",
      mode: "upsert",
      key: "email",
      map: { "Full name": "name" },
      onError: "stop",
    });
    expect(await again.result()).toMatchObject({ created: 1, failed: 0 });
    expect(await shop.users.count({ where: { email: { like: "first*" } } })).toBe(51);
  });

  test("import bytes, gzip and streams", async () => {
    const shop = stage().client();
    const text = (name: string) => `${JSON.stringify({ name, email: `${name}@example.com` })}\n`;
    const bytes = await shop.users.import(new TextEncoder().encode(text("bytes")), { format: "ndjson" });
    expect(await bytes.result()).toMatchObject({ created: 1 });
    const zipped = await new Response(new Blob([text("zipped")]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
    const gzip = await shop.users.import(zipped, { format: "ndjson", gzip: true });
    expect(await gzip.result()).toMatchObject({ created: 1 });
    const stream = await shop.users.import(new Blob([text("stream")]).stream() as ReadableStream<Uint8Array>, { format: "ndjson" });
    expect(await stream.result()).toMatchObject({ created: 1 });
    await expect(shop.users.import("no format")).rejects.toThrow("import needs the format of the file");
  });

  test("tell why an import failed", async () => {
    const shop = stage().client();
    await expect(shop.users.import("nme,email\na,b\n", { format: "csv" })).rejects.toMatchObject({ status: 422, code: "UNKNOWN_COLUMN" });
    const job = await shop.users.import("name,email\nAda,nowhere\n", { format: "csv", onError: "stop" });
    const { error } = (await attempt(job.result())) as { error: JobFailedError };
    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({ name: "JobFailedError", code: "IMPORT_REJECTED", job: { id: job.id, status: "failed" } });
    await expect(job.cancel()).rejects.toMatchObject({ name: "ConflictError", code: "JOB_FINISHED" });
  });

  test("list the rows that failed, and go on with a job that ended early", async () => {
    const shop = stage().client();
    const wrong = (row: number) => (row % 2 === 0 ? "nowhere" : `errors${row}@example.com`);
    const lines = Array.from({ length: 2_600 }, (_, index) => `Row ${index + 1},${wrong(index + 1)}`);
    const file = `name,email\n${lines.join("\n")}\n`;
    const job = await shop.users.import(file, { format: "csv", maxErrors: 1_200 });
    expect(job.warnings).toEqual([]);
    await expect(job.result()).rejects.toMatchObject({ code: "TOO_MANY_ERRORS" });
    const rows: number[] = [];
    for await (const { row, code, errors, cells } of job.errors()) {
      rows.push(row);
      if (row === 2) expect([code, errors[0]?.field, cells]).toEqual(["VALIDATION_FAILED", "email", ["Row 2", "nowhere"]]);
    }
    expect(rows).toEqual(Array.from({ length: rows.length }, (_, index) => 2 * (index + 1)));
    expect(rows.length).toBeGreaterThanOrEqual(1_200);
    for await (const { row } of job.errors({ after: 2_000 })) {
      expect(row).toBe(2_002);
      break;
    }
    await expect(
      job
        .errors({ afterRow: 5 } as object)
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toThrow('users.errors has no option "afterRow"');

    // So many that it takes longer than the second after which a job hears that it is canceled.
    const canceled = await shop.users.import(csvOf("again", 120_000), { format: "csv" });
    await canceled.cancel();
    await expect(canceled.result()).rejects.toMatchObject({ code: "CANCELLED" });
    await canceled.resume();
    expect(await canceled.result()).toMatchObject({ created: 120_000 });
    await expect(canceled.resume()).rejects.toMatchObject({ name: "ConflictError" });

    // With a key of its own each call is meant to be done.
    const keyless = stage().client({ idempotencyKeys: false });
    const twice = () => keyless.users.import(csvOf("twice", 3), { format: "csv", mode: "upsert", key: "email" });
    const first = await twice();
    await first.result();
    const same = await twice();
    expect(same.warnings).toEqual([{ code: "SAME_FILE", importId: first.id }]);
    await same.result();
  });

  test("export rows as they arrive, and files", async () => {
    const shop = stage().client();
    await (await shop.users.import(csvOf("out", 30), { format: "csv" })).result();
    const where = { email: { like: "out*" } } as const;
    const names: string[] = [];
    for await (const { name } of shop.users.export({ where, sort: "id", fields: ["name"] })) names.push(name);
    expect(names).toEqual(Array.from({ length: 30 }, (_, index) => `out ${index}`));
    const file = await shop.users.export({ where, fields: ["name"], sort: "id" }).blob();
    expect(file.type).toContain("text/csv");
    expect((await file.text()).split("\r\n").slice(0, 2)).toEqual(["name", "out 0"]);
    expect(JSON.parse(await (await shop.users.export({ where, fields: ["id"] }).blob("json")).text())).toHaveLength(30);
    for await (const { name } of shop.users.export({ where, sort: "id" })) {
      expect(name).toBe("out 0");
      break;
    }
  });

  test("export by a job what a query string cannot say", async () => {
    const shop = stage().client();
    await (await shop.users.import(csvOf("or", 3), { format: "csv" })).result();
    const rows: string[] = [];
    const where = { or: [{ email: "or0@example.com" }, { email: "or2@example.com" }] };
    for await (const { name } of shop.users.export({ where, sort: "id", fields: ["name"] })) rows.push(name);
    expect(rows).toEqual(["or 0", "or 2"]);
  });

  test("register webhooks, and send, list and repeat their deliveries", async () => {
    const shop = stage().client();
    const hook = await shop.webhooks.create({ url: "https://hooks.example.com/shop", events: ["order.*"], filter: { currency: "EUR" } });
    expect(hook.secret).toMatch(/^whsec_/);
    expect((await shop.webhooks.list({ perPage: 5 })).data.map(({ id }) => id)).toContain(hook.id);
    const read = await shop.webhooks.get(hook.id);
    expect(read).not.toHaveProperty("secret");
    expect(await shop.webhooks.update(hook.id, { active: false }, { ifMatch: read })).toMatchObject({ active: false });
    expect((await shop.webhooks.rotateSecret(hook.id, { overlapSeconds: 0 })).secret).not.toBe(hook.secret);
    expect((await shop.webhooks.deliveries(hook.id, { status: "dead" })).data).toEqual([]);
    await expect(shop.webhooks.delivery(hook.id, "dlv_1")).rejects.toMatchObject({ status: 404 });
    await expect(shop.webhooks.replay(hook.id, "dlv_1")).rejects.toMatchObject({ status: 404 });
    await expect(shop.webhooks.recover(hook.id, { since: new Date() })).rejects.toMatchObject({ code: "WEBHOOK_INACTIVE" });
    await shop.webhooks.update(hook.id, { active: true });
    expect(await (await shop.webhooks.recover(hook.id, { since: new Date(Date.now() - 60_000) })).result()).toEqual({ replayed: 0 });
    await expect(shop.webhooks.create({ url: "http://a", events: ["order.lost" as "order.*"] })).rejects.toThrow(ApiError);
    await shop.webhooks.remove(hook.id);
    await expect(shop.webhooks.get(hook.id)).rejects.toMatchObject({ status: 404 });
  });

  test("are found as uploads by their id", async () => {
    await expect(stage().client().uploads.get("00000000000000000000000000000000")).rejects.toMatchObject({ status: 404 });
  });
});

describe("The progress of a job", () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0.001);
  afterAll(() => random.mockRestore());
  const state = (progress: number) => ({
    id: "7",
    status: progress === 1 ? "completed" : "processing",
    progress,
    result: progress === 1 ? { created: 9 } : null,
  });
  const event = (progress: number) => `event: ${progress === 1 ? "end" : "progress"}\nid: ${progress}\ndata: ${JSON.stringify(state(progress))}\n\n`;
  const stream = (chunks: readonly string[], fails = false) => {
    const left = chunks.map((chunk) => new TextEncoder().encode(chunk));
    const body = new ReadableStream({
      pull(controller) {
        const chunk = left.shift();
        if (chunk !== undefined) controller.enqueue(chunk);
        else if (fails) controller.error(new Error("cut"));
        else controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const json = (value: unknown, headers = {}) => new Response(JSON.stringify(value), { headers: { "content-type": "application/json", ...headers } });

  /** The progress of an import whose job is read by these answers, and what the requests for it said. */
  async function watch(answers: readonly (() => Response)[], signal?: AbortSignal) {
    const asked: (string | null)[][] = [];
    const fetch = async ({ method, headers }: Request) => {
      if (method === "POST") return new Response(JSON.stringify({ id: "7" }), { status: 202, headers: { "content-type": "application/json" } });
      asked.push(["accept", "last-event-id", "if-none-match"].map((name) => headers.get(name)));
      return answers[asked.length - 1]?.() ?? Response.error();
    };
    const shop = createClient<ShopService>({ baseUrl: "http://shop.test", fetch });
    const job = await shop.users.import("", { format: "csv", signal });
    const progress: number[] = [];
    for await (const each of job) progress.push(each.progress);
    return { asked, progress };
  }

  test("goes on where the stream was cut, in the middle of an event too", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const whole = event(0.5);
    const watched = watch([
      () => stream([": \n\nretry: 1000\n\n", event(0.25), whole.slice(0, 20)], true),
      () => stream([], true),
      () => stream([whole.slice(0, 7), whole.slice(7), "event: prog"]),
      () => stream([event(0.75), event(1)]),
    ]);
    await vi.advanceTimersByTimeAsync(5_000);
    const { asked, progress } = await watched;
    expect(progress).toEqual([0.25, 0.5, 0.75, 1]);
    expect(asked).toEqual([null, "0.25", "0.25", "0.5"].map((last) => ["text/event-stream", last, null]));
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is polled where a proxy answers no stream", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const watched = watch([
      () => json(state(0.5)),
      () => json(state(0.5), { etag: '"1"' }),
      () => new Response(null, { status: 304 }),
      () => json(state(1), { etag: '"2"' }),
    ]);
    await vi.advanceTimersByTimeAsync(5_000);
    const { asked, progress } = await watched;
    expect(progress).toEqual([0.5, 1]);
    expect(asked.slice(1)).toEqual([null, '"1"', '"1"'].map((tag) => ["application/json", null, tag]));
  });

  test("is polled where a proxy holds the stream back", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let isCanceled = false;
    const silent = new ReadableStream({
      pull: () => new Promise(() => {}),
      cancel: () => {
        isCanceled = true;
      },
    });
    const watched = watch([() => new Response(silent, { headers: { "content-type": "text/event-stream" } }), () => json(state(1))]);
    await vi.advanceTimersByTimeAsync(4_900);
    expect(isCanceled).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect((await watched).progress).toEqual([1]);
    expect(isCanceled).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("ends with an error if the job is removed, or with the reason of an abort", async () => {
    await expect(watch([() => stream(["event: end\nid: 1\ndata: null\n\n"])])).rejects.toMatchObject({ name: "JobFailedError", code: "GONE" });
    const controller = new AbortController();
    const silent = () =>
      new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), { headers: { "content-type": "text/event-stream" } });
    const watched = watch([silent], controller.signal);
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(watched).rejects.toThrow("enough");
  });
});

test("An export that breaks off is a NetworkError, never a shorter file", async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":1}\n'));
      controller.error(new Error("cut"));
    },
  });
  const fetch = async () => new Response(body, { headers: { "content-type": "application/x-ndjson" } });
  const rows = createClient<ShopService>({ baseUrl: "http://shop.test", fetch }).users.export();
  await expect(rows.blob()).rejects.toThrow(NetworkError);
});
