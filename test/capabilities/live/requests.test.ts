import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { clientOf } from "../../tools/client.js";
import { EventStreamClient, words } from "../../tools/eventStreamClient.js";
import { untilTrue } from "../../tools/eventually.js";
import { served, serviceOn } from "./stage.js";

const admin = { id: "admin", scopes: ["all"] };
const told = (count: number) => (all: { readonly length: number }) => all.length >= count;
const events = { accept: "text/event-stream", authorization: "Bearer admin" };

describe("a request for changes", () => {
  test.each([
    ["/orders?sort=total", "sort", "CONFLICTING_PARAMETERS"],
    ["/orders?page=2", "page", "CONFLICTING_PARAMETERS"],
    ["/orders?perPage=5", "perPage", "CONFLICTING_PARAMETERS"],
    ["/orders?cursor=x", "cursor", "CONFLICTING_PARAMETERS"],
    ["/orders?changedAfter=", "changedAfter", "CONFLICTING_PARAMETERS"],
    ["/orders?after=a&after=b", "after", "REPEATED_PARAMETER"],
    ["/orders?after=nonsense", "after", "INVALID_POSITION"],
    ["/orders?colour=red", "colour", "UNKNOWN_FIELD"],
  ])("%s is 400", async (target, parameter, code) => {
    const send = clientOf(serviceOn({ storage: memoryStorage() }));
    const { status, json } = await send({ target, headers: events });
    expect({ status, code: json.code, errors: json.errors }).toMatchObject({ status: 400, code, errors: [{ parameter }] });
  });

  test("with the position of another caller, filter or collection is 400", async () => {
    const service = serviceOn({ storage: memoryStorage() });
    const url = await served(service);
    const client = await EventStreamClient.connect(`${url}/orders?status=open`, { token: "ada" });
    await client.until(told(1));
    for (const [path, token] of [
      ["/orders?status=open", "bob"],
      ["/orders?status=paid", "ada"],
      ["/orders", "ada"],
    ] as const) {
      const other = await EventStreamClient.connect(url + path, { token, after: client.lastId });
      expect({ status: other.status, problem: other.problem }).toMatchObject({ status: 400, problem: { code: "INVALID_POSITION" } });
    }
    expect((await EventStreamClient.connect(`${url}/orders?status=open&fields=id`, { token: "ada", after: client.lastId })).status).toBe(200);
  });

  test("needs no more than Accept, and JSON comes first of all that is liked equally", async () => {
    const send = clientOf(serviceOn({ storage: memoryStorage() }));
    for (const accept of ["*/*", "application/json", "application/json, text/event-stream", "text/event-stream;q=0.5, application/json"]) {
      const { headers } = await send({ target: "/orders", headers: { ...events, accept } });
      expect(headers, accept).toMatchObject({ "content-type": "application/json", vary: expect.stringContaining("Accept") });
    }
    for (const accept of ["text/event-stream", "text/event-stream, */*", "Text/Event-Stream; charset=utf-8, application/json;q=0.9"]) {
      const { headers } = await send({ method: "HEAD", target: "/orders", headers: { ...events, accept } });
      expect(headers["content-type"], accept).toBe("text/event-stream");
    }
    const head = await send({ method: "HEAD", target: "/orders", headers: events });
    expect({ status: head.status, text: head.text, headers: head.headers }).toMatchObject({
      status: 200,
      text: "",
      headers: { "content-type": "text/event-stream" },
    });
  });

  test("without credentials is 401", async () => {
    const send = clientOf(serviceOn({ storage: memoryStorage() }));
    expect((await send({ target: "/orders", headers: { accept: "text/event-stream" } })).status).toBe(401);
  });
});

describe("streams are bounded", () => {
  test("for each principal, until one is closed", async () => {
    const service = serviceOn({ storage: memoryStorage(), live: { maxStreams: { principal: 2 } } });
    const url = await served(service);
    const first = await EventStreamClient.connect(`${url}/orders`, { token: "ada" });
    await EventStreamClient.connect(`${url}/orders`, { token: "ada" });
    const third = await EventStreamClient.connect(`${url}/orders`, { token: "ada" });
    expect({ status: third.status, problem: third.problem }).toMatchObject({ status: 429, problem: { code: "TOO_MANY_STREAMS", maximum: 2 } });
    expect(third.headers.get("retry-after")).toBe("10");
    expect((await EventStreamClient.connect(`${url}/orders`, { token: "bob" })).status).toBe(200);
    first.cut();
    await untilTrue(async () => {
      const again = await EventStreamClient.connect(`${url}/orders`, { token: "ada" });
      again.cut();
      return again.status === 200;
    });
  });

  test("for the process", async () => {
    const service = serviceOn({ storage: memoryStorage(), live: { maxStreams: { process: 1 } } });
    const url = await served(service);
    await EventStreamClient.connect(`${url}/orders`, { token: "ada" });
    const second = await EventStreamClient.connect(`${url}/orders`, { token: "bob" });
    expect({ status: second.status, problem: second.problem }).toMatchObject({ status: 503, problem: { code: "NO_STREAM_LEFT" } });
  });

  test("by what a client that does not read holds: it ends with reset", async () => {
    const service = serviceOn({ storage: memoryStorage(), live: { maxStreams: { principal: 1 } } });
    const send = clientOf(service);
    const response = await service.handle({
      ...{ method: "GET", path: "/orders", query: "", mount: "", headers: Object.entries(events).flat() },
      ...{ body: { kind: "none" }, signal: new AbortController().signal, native: undefined },
    });
    const { orders } = service.as(admin);
    // The first text is never taken, so that nothing after it is. When the stream has ended, another one may begin.
    let index = 0;
    await untilTrue(async () => {
      index += 1;
      await orders.create({ id: `${index}`, owner: "x".repeat(50_000) });
      return (await send({ method: "HEAD", target: "/orders", headers: events })).status === 200;
    });
    const texts: string[] = [];
    for await (const text of (response as { body: AsyncIterable<string> }).body) texts.push(text);
    expect(texts).toEqual(["event: reset\ndata: {}\n\n"]);
  });

  test("by the close of the service, which ends all of them", async () => {
    const service = serviceOn({ storage: memoryStorage() });
    const url = await served(service);
    const client = await EventStreamClient.connect(`${url}/orders`);
    await client.until(told(1));
    await service.close({ graceMs: 5_000 });
    await untilTrue(() => client.isEnded);
  });
});

describe("rights", () => {
  test("are asked again every minute: a scope that has changed begins the stream anew, and a principal that is gone ends it", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    let rights: "own" | "all" | "none" = "own";
    const service = serviceOn({
      storage: memoryStorage(),
      principals: { reload: (principal) => (rights === "none" ? null : { ...principal, scopes: rights === "all" ? ["all"] : [] }) },
    });
    const url = await served(service);
    const client = await EventStreamClient.connect(`${url}/orders`, { token: "ada" });
    await client.until(told(1));
    const { orders } = service.as(admin);
    await orders.create({ id: "a", owner: "bob" });
    rights = "all";
    vi.setSystemTime(Date.now() + 61_000);
    await orders.create({ id: "b", owner: "bob" });
    await client.until(told(3));
    expect(words(client.told)).toEqual(["ready", "reset", "ready"]);
    await orders.create({ id: "c", owner: "bob" });
    await client.until(told(4));
    expect(words(client.told).at(-1)).toBe("created c");
    rights = "none";
    vi.setSystemTime(Date.now() + 61_000);
    await orders.create({ id: "d", owner: "bob" });
    await untilTrue(() => client.isEnded);
    expect(words(client.told)).not.toContain("created d");
  });
});
