import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { HeldResponse } from "../../../../adapters/hosts/idempotency/heldResponse.js";
import type { HttpResponse } from "../../../../src/ground/http/message.js";
import { eventually } from "../../../tools/eventually.js";
import { type Received, send } from "../client.js";
import { listen } from "../host.js";
import { RawConnection } from "../rawConnection.js";

/** Lets a handler answer a held response, and sends what it made of it. */
async function answeredBy(
  handle: (outgoing: ServerResponse) => unknown,
  before: (outgoing: ServerResponse) => void = () => {},
): Promise<{ readonly own: HttpResponse; readonly received: Received }> {
  let own: HttpResponse | undefined;
  const server = createServer(async (_, outgoing) => {
    before(outgoing);
    const held = new HeldResponse(outgoing);
    void handle(outgoing);
    own = await held.answered;
    await sleep(5);
    held.release();
  });
  const running = await listen(server);
  try {
    const received = await send(running.port, "/");
    if (own === undefined) throw new Error("Nothing was answered.");
    return { own, received };
  } finally {
    await running.close();
  }
}

const bodyOf = ({ body }: HttpResponse) => (body instanceof Uint8Array ? Buffer.from(body).toString() : body);

it.each<[string, (outgoing: ServerResponse) => unknown, string | null]>([
  ["end(text)", (outgoing) => outgoing.end("a"), "a"],
  ["end(text, encoding)", (outgoing) => outgoing.end("YQ==", "base64"), "a"],
  ["end(bytes)", (outgoing) => outgoing.end(Buffer.from("a")), "a"],
  ["end()", (outgoing) => outgoing.end(), null],
  ["end(callback)", (outgoing) => outgoing.end(() => {}), null],
  ["write, then end", (outgoing) => [outgoing.write("a"), outgoing.write("Yg==", "base64"), outgoing.end("c")], "abc"],
  ["end twice", (outgoing) => [outgoing.end("a"), outgoing.end("b")], "a"],
  ["write after end", (outgoing) => [outgoing.end("a"), outgoing.write("b")], "a"],
  ["flushHeaders, then end", (outgoing) => [outgoing.flushHeaders(), outgoing.end("a")], "a"],
  ["a pipeline", (outgoing) => pipeline(Readable.from(["a", "b"]), outgoing), "ab"],
  ["a pipe", (outgoing) => Readable.from(["a", "b"]).pipe(outgoing), "ab"],
])("holds %s, and sends it", async (_, handle, expected) => {
  const { own, received } = await answeredBy(handle);
  expect([bodyOf(own), received.body.toString()]).toEqual([expected, expected ?? ""]);
});

it.each<[string, (outgoing: ServerResponse) => unknown]>([
  ["an object", (outgoing) => outgoing.writeHead(201, { "X-One": "1", "X-Two": ["2", "3"] })],
  ["a phrase and an object", (outgoing) => outgoing.writeHead(201, "Done", { "X-One": 1, "X-Two": ["2", "3"] })],
  ["a list", (outgoing) => outgoing.writeHead(201, ["X-One", "1", "X-Two", ["2", "3"]])],
  [
    "a list of pairs",
    (outgoing) =>
      Reflect.apply(outgoing.writeHead, outgoing, [
        201,
        [
          ["X-One", "1"],
          ["X-Two", "2"],
          ["X-Two", "3"],
        ],
      ]),
  ],
  ["setHeader", (outgoing) => outgoing.setHeader("X-One", "1").setHeader("X-Two", ["2", "3"]).writeHead(201)],
])("takes the head from writeHead with %s", async (_, head) => {
  const { own, received } = await answeredBy((outgoing) => {
    head(outgoing);
    outgoing.end("a");
  });
  expect([own.status, own.headers]).toEqual([201, { "x-one": "1", "x-two": ["2", "3"] }]);
  expect([received.status, received.headers["x-one"], received.headers["x-two"]]).toEqual([201, "1", "2, 3"]);
});

it("answers only with the headers that the handler has set or changed, and sends all", async () => {
  const { own, received } = await answeredBy(
    (outgoing) => outgoing.setHeader("X-Own", "1").setHeader("X-Changed", "new").end(),
    (outgoing) => void outgoing.setHeader("X-Outer", "1").setHeader("X-Changed", "old"),
  );
  expect(own.headers).toEqual({ "x-own": "1", "x-changed": "new" });
  expect([received.headers["x-outer"], received.headers["x-changed"]]).toEqual(["1", "new"]);
});

it("hands what a middleware in front has to change to it only when it is sent", async () => {
  const shout = (outgoing: ServerResponse) => {
    const end = outgoing.end.bind(outgoing);
    outgoing.end = (chunk: unknown) => end(Buffer.from(String(chunk)).toString().toUpperCase());
  };
  const { own, received } = await answeredBy((outgoing) => outgoing.end("quiet"), shout);
  expect([bodyOf(own), received.body.toString()]).toEqual(["quiet", "QUIET"]);
});

it("shows the handler a response that is begun and ended when it thinks so", async () => {
  const states: boolean[][] = [];
  const look = ({ headersSent, writableEnded }: ServerResponse) => void states.push([headersSent, writableEnded]);
  await answeredBy((outgoing) => {
    look(outgoing);
    outgoing.write("a");
    look(outgoing);
    outgoing.end();
    look(outgoing);
  });
  expect(states).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ]);
});

it("ignores a head that is changed after the answer has begun", async () => {
  const { received } = await answeredBy((outgoing) => {
    outgoing.writeHead(201, { "X-One": "1" });
    outgoing.write("a");
    outgoing.statusCode = 500;
    outgoing.setHeader("X-One", "2");
    outgoing.writeHead(502).end("b");
  });
  expect([received.status, received.headers["x-one"], received.body.toString()]).toEqual([201, "1", "ab"]);
});

it("calls back for each write, and for the end once it is sent", async () => {
  const called: string[] = [];
  await answeredBy((outgoing) => {
    outgoing.write("a", () => called.push("write"));
    outgoing.write("b", "utf8", () => called.push("write"));
    outgoing.end("c", () => called.push("end"));
  });
  expect(called).toEqual(["write", "write", "end"]);
});

it("copies what is written: a writer may use its buffer again", async () => {
  const { received } = await answeredBy((outgoing) => {
    const buffer = Buffer.from("a");
    outgoing.write(buffer, () => {
      buffer.write("b");
      outgoing.end(buffer);
    });
  });
  expect(received.body.toString()).toBe("ab");
});

it("rejects where the handler destroys the response, and breaks the connection", async () => {
  let rejected: unknown;
  const cause = new Error("The file is broken.");
  const server = createServer(async (_, outgoing) => {
    const held = new HeldResponse(outgoing);
    outgoing.on("error", () => {});
    outgoing.write("a");
    outgoing.destroy(cause);
    rejected = await held.answered.catch((error: unknown) => error);
  });
  const running = await listen(server);
  await expect(send(running.port, "/")).rejects.toThrow();
  await running.close();
  expect(rejected).toMatchObject({ message: "The handler destroyed the response before it was complete.", cause });
});

it("sends something else in its place, without the handler's headers, and drops what the handler still writes", async () => {
  const server = createServer(async (_, outgoing) => {
    outgoing.setHeader("X-Outer", "1");
    const held = new HeldResponse(outgoing);
    outgoing.writeHead(201, { "X-Own": "1" });
    outgoing.write(new Uint8Array(11_000_000));
    await held.answered;
    held.replace(() => outgoing.writeHead(202).end("other"));
    expect(outgoing.write("late")).toBe(true);
    outgoing.end("later");
  });
  const running = await listen(server);
  const { status, headers, body } = await send(running.port, "/");
  await running.close();
  expect([status, headers["x-own"], headers["x-outer"], body.toString()]).toEqual([202, undefined, "1", "other"]);
});

it("reads a pipe to its end when the client goes away, and tells the handler of it afterwards", async () => {
  const events: string[] = [];
  let own: HttpResponse | undefined;
  const server = createServer(async (incoming, outgoing) => {
    const held = new HeldResponse(outgoing);
    outgoing.on("close", () => events.push("close"));
    const chunks = async function* () {
      yield "a";
      events.push("begun");
      await once(incoming.socket, "close");
      await sleep(5);
      yield "b";
    };
    Readable.from(chunks())
      .on("end", () => events.push("end"))
      .pipe(outgoing);
    own = await held.answered;
    held.release();
    events.push("released");
  });
  const running = await listen(server);
  const connection = new RawConnection(running.port).write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await eventually(() => expect(events).toEqual(["begun"]));
  connection.destroy();
  await eventually(() => expect(events).toContain("released"));
  await running.close();
  expect(own && bodyOf(own)).toBe("ab");
  expect(events).toEqual(["begun", "end", "close", "released"]);
});

it("lets a pipe wait while more than is kept is stored, and then go on", async () => {
  const piece = new Uint8Array(1_048_576).fill(1);
  const chunks = async function* () {
    for (let index = 0; index < 24; index++) yield piece;
  };
  const { own, received } = await answeredBy((outgoing) => Readable.from(chunks()).pipe(outgoing));
  expect([own.body instanceof Uint8Array, received.body.length]).toEqual([false, 24 * piece.length]);
});
