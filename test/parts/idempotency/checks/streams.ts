import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { RawConnection } from "../../../adapters/hosts/rawConnection.js";
import { eventually } from "../../../tools/eventually.js";
import { type IdempotentHost, key, withHost } from "./host.js";
import { retried } from "./keys.js";

const chunk = new Uint8Array(64 * 1024).fill(7);
const type = { "Content-Type": "application/octet-stream" };

/** 64 KiB each. */
async function* chunks(count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield chunk;
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield* chunks(3);
  await sleep(5);
  throw new Error("The file is broken.");
}

const request = `POST /charges HTTP/1.1\r\nHost: x\r\nX-User: ada\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\nContent-Length: 12\r\n\r\n{"amount":5}`;

export function streamChecks(host: IdempotentHost): void {
  it("sends a body of more than 10 MiB whole, and replays its status and headers without it", async () => {
    let runs = 0;
    const act = () => {
      runs += 1;
      return { status: 201, headers: { ...type, "X-Charge": "ch_1" }, stream: chunks(200) };
    };
    await withHost(host, act, async (post) => {
      const first = await post();
      expect([first.status, first.body.length, first.body.every((byte) => byte === 7)]).toEqual([201, 200 * chunk.length, true]);
      const again = await post();
      expect([again.status, again.headers["x-charge"], again.headers["content-type"], again.body.length]).toEqual([
        201,
        "ch_1",
        type["Content-Type"],
        0,
      ]);
      expect(again.headers["idempotent-replayed"]).toBe("true");
    });
    expect(runs).toBe(1);
  });

  it("does not take a stream that breaks for an answer", async () => {
    let runs = 0;
    const act = () => (++runs === 1 ? { headers: type, stream: broken() } : { headers: type, stream: chunks(3) });
    await withHost(host, act, async (post) => {
      const first = await post().catch(() => undefined);
      // Express breaks the connection, as it does without a guard; the others have an error page to show.
      expect(first?.body.toString()).toBe(host.name === "express" ? undefined : "host error");
      const again = await retried(post);
      expect([again.status, again.body.length, again.headers["idempotent-replayed"]]).toEqual([200, 3 * chunk.length, undefined]);
    });
    expect(runs).toBe(2);
  });

  it("does not run again for a client that went away in the middle of a stream", async () => {
    let runs = 0;
    let ended = false;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* slow() {
      yield* chunks(2);
      await released;
      yield* chunks(2);
      ended = true;
    }
    const act = () => {
      runs += 1;
      return { status: 201, headers: { ...type, "X-Charge": "ch_1" }, stream: slow() };
    };
    await withHost(host, act, async (post, port, connections) => {
      const connection = new RawConnection(port).write(request);
      await eventually(() => expect(runs).toBe(1));
      connection.destroy();
      // The stream goes on only when the server knows that its client is gone, however busy the machine is.
      await eventually(async () => expect(await connections()).toBe(0));
      release();
      const again = await eventually(async () => {
        const received = await post();
        expect(received.status).toBe(201);
        return received;
      });
      expect([again.headers["x-charge"], again.headers["idempotent-replayed"]]).toEqual(["ch_1", "true"]);
      // Koa itself ends the stream together with the connection.
      expect([ended, again.body.length]).toEqual(host.name === "koa" ? [false, 0] : [true, 4 * chunk.length]);
    });
    expect(runs).toBe(1);
  });

  it("lets events pass while they are made", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* events() {
      yield Buffer.from("data: 1\n\n");
      await released;
      yield Buffer.from("data: 2\n\n");
    }
    await withHost(
      host,
      () => ({ headers: { "Content-Type": "text/event-stream" }, stream: events() }),
      async (post, port) => {
        const connection = new RawConnection(port).write(request);
        let received = "";
        connection.socket.on("data", (data) => {
          received += data.toString();
        });
        while (!received.includes("data: 1")) await once(connection.socket, "data");
        expect(received.includes("data: 2")).toBe(false);
        release();
        while (!received.includes("data: 2")) await once(connection.socket, "data");
        connection.destroy();
        const again = await post();
        expect([again.headers["idempotent-replayed"], again.body.length]).toEqual(["true", 0]);
      },
    );
  });
}
