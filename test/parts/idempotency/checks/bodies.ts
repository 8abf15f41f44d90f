import { expect, it } from "vitest";
import { RawConnection } from "../../../adapters/hosts/rawConnection.js";
import { type IdempotentHost, key, withHost } from "./host.js";
import { counting } from "./keys.js";

const form = (boundary: string, amount: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="amount"\r\n\r\n${amount}\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\nxyz\r\n--${boundary}--\r\n`;

export function bodyChecks(host: IdempotentHost): void {
  for (const parseFirst of host.parsesBehind ? [true, false] : [true]) {
    const where = parseFirst ? "with a parser in front" : "with a parser behind";

    it(`hands the handler its body, ${where}`, async () => {
      const { seen, act } = counting();
      const octets = Buffer.from([0, 255, 128]);
      await withHost(
        host,
        act,
        async (post) => {
          await post({ key: `${key}-json` });
          await post({ key: `${key}-text`, body: "Grüße", headers: { "Content-Type": "text/plain" } });
          await post({ key: `${key}-octets`, body: octets, headers: { "Content-Type": "application/octet-stream" } });
          await post({ key: `${key}-chunked`, body: ['{"amount"', ":", "7}"] });
          await post({ key: `${key}-large`, json: "x".repeat(500_000) });
        },
        { parseFirst },
      );
      expect(seen.slice(0, 4).map(({ body }) => (Buffer.isBuffer(body) ? [...body] : body))).toEqual([
        { amount: 5 },
        "Grüße",
        [0, 255, 128],
        { amount: 7 },
      ]);
      expect(seen[4]?.body).toBe("x".repeat(500_000));
    });

    it(`compares JSON by its value, ${where}`, async () => {
      const { seen, act } = counting();
      await withHost(
        host,
        act,
        async (post) => {
          await post({ body: '{"amount":5,"to":{"name":"Ada","tags":[1,2]}}' });
          const replayed = await post({ body: ' { "to" : {"tags":[ 1,2], "name":"\\u0041da"},\n"amount":5.0}' });
          expect(replayed.headers["idempotent-replayed"]).toBe("true");
          expect((await post({ body: '{"amount":5,"to":{"name":"Ada","tags":[2,1]}}' })).status).toBe(422);
        },
        { parseFirst },
      );
      expect(seen.length).toBe(1);
    });

    it.each([
      ["another amount", { json: { amount: 6 } }],
      ["a text in the place of a number", { json: { amount: "5" } }],
      ["another query", { path: "/charges?dry=1" }],
      ["another path", { path: "/refunds" }],
      ["another method", { method: "PUT" }],
      ["another media type", { headers: { "Content-Type": "text/plain" } }],
      ["another handling", { headers: { Prefer: "handling=strict" } }],
      ["no body", { body: "", headers: { "Content-Type": "text/plain" } }],
    ])(`answers 422 to %s under the same key, ${where}`, async (_, sent) => {
      const { seen, act } = counting();
      await withHost(
        host,
        act,
        async (post) => {
          await post();
          const { status, headers, body } = await post(sent);
          expect([status, JSON.parse(body.toString()).code, headers["content-type"]]).toEqual([
            422,
            "IDEMPOTENCY_KEY_REUSED",
            "application/problem+json",
          ]);
          expect((await post()).headers["idempotent-replayed"]).toBe("true");
        },
        { parseFirst },
      );
      expect(seen.length).toBe(1);
    });

    it(`answers the next request on the connection after a replay, ${where}`, async () => {
      const { act } = counting();
      await withHost(
        host,
        act,
        async (_, port) => {
          const connection = new RawConnection(port);
          const request = `POST /charges HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\nContent-Length: 7\r\n\r\n{"a":1}`;
          for (const _ of [1, 2, 3]) {
            connection.write(request);
            expect((await connection.readResponse()).body).toBe('{"charge":1}');
          }
          connection.destroy();
        },
        { parseFirst },
      );
    });
  }

  it("takes a form with a new boundary for the same, and one with another content for another", async () => {
    const { seen, act } = counting();
    const type = (boundary: string) => ({ headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` } });
    await withHost(
      host,
      act,
      async (post) => {
        await post({ body: form("one", "5"), ...type("one") });
        expect((await post({ body: form("two", "5"), ...type("two") })).headers["idempotent-replayed"]).toBe("true");
        expect((await post({ body: form("two", "6"), ...type("two") })).status).toBe(422);
      },
      { parseFirst: false },
    );
    expect(seen.length).toBe(1);
  });

  it.each([
    ["of a told length", "x".repeat(2_000)],
    ["in chunks", ["x".repeat(600), "x".repeat(600)]],
  ])("answers 413 to a body over the limit that nobody has read, %s", async (_, body) => {
    const { seen, act } = counting();
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    await withHost(
      host,
      act,
      async (post) => {
        const received = await post({ body, headers });
        expect([received.status, JSON.parse(received.body.toString()).maximum]).toEqual([413, 1_000]);
        expect((await post({ body: "x", headers })).status).toBe(201);
      },
      { parseFirst: false, bodyLimitBytes: 1_000 },
    );
    expect(seen.length).toBe(1);
  });
}
