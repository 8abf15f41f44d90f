import { METHODS } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { memoryStorage } from "../../../../adapters/memory.js";
import { defineResource } from "../../../../src/index.js";
import { fullService } from "../../../tools/fullService.js";
import { keepAliveAgent, type Received, type Sent, send } from "../client.js";
import type { Host, RunningHost } from "../host.js";
import { RawConnection } from "../rawConnection.js";

const asJson = { "Content-Type": "application/json" };
const limitBytes = 4_096;

/** Node parses it from 20.20 on; before, it ends the connection itself. */
const parsesQuery = METHODS.includes("QUERY");

function createUsers() {
  const users = defineResource("users", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
  return fullService({ resources: [users], storage: memoryStorage(), limits: { jsonBodyBytes: limitBytes } });
}

/** What every host must answer alike, by the real service. */
export function serviceChecks(host: Host): void {
  describe.each([{ mount: "" }, { mount: "/v1" }])("at '$mount'", ({ mount }) => {
    const service = createUsers();
    let running: RunningHost;
    const at = (path: string, sent?: Sent) => send(running.port, `${mount}${path}`, sent);
    const create = (name: string) => at("/users", { method: "POST", headers: asJson, body: JSON.stringify({ name }) });

    beforeAll(async () => {
      running = await host.start(service.handle, { mount });
    });
    afterAll(async () => {
      await running.close();
      await service.close();
    });

    it("creates, and names the place below the mount", async () => {
      const { status, headers, body } = await create("Ada");
      const { id } = JSON.parse(body.toString());
      expect({ status, location: headers.location }).toEqual({ status: 201, location: `${mount}/users/${id}` });
      expect(JSON.parse((await send(running.port, headers.location ?? "")).body.toString())).toMatchObject({ id, name: "Ada" });
    });

    it("does not run a POST that asks for another method", async () => {
      const { headers } = await create("Ada");
      const path = headers.location?.slice(mount.length) ?? "";
      const asked = { method: "POST", headers: { ...asJson, "X-HTTP-Method-Override": "DELETE" }, body: '{"name":"Eve"}' };
      const byQuery = { method: "POST", headers: asJson, body: '{"name":"Eve"}' };
      const answers = [await at("/users", asked), await at(path, asked), await at("/users?_method=DELETE", byQuery)];
      expect(answers.map(({ status, body }) => [status, JSON.parse(body.toString()).code])).toEqual(
        answers.map(() => [403, "METHOD_OVERRIDE_FORBIDDEN"]),
      );
      expect((await at(path)).status).toBe(200);
      expect(JSON.parse((await at("/users?name=Eve")).body.toString()).data).toEqual([]);
    });

    /** What is refused, on a connection of its own. */
    const refused = async (head: string) => {
      const connection = new RawConnection(running.port);
      const { status, headers, body } = await connection.write(`${head}\r\nHost: x\r\n\r\n`).readResponse();
      connection.destroy();
      const { code, requestId } = body === "" ? {} : JSON.parse(body);
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(headers.get("x-request-id")).toBe(requestId);
      return [status, code];
    };

    it("answers what hosts refuse by themselves as a problem with a request id", async () => {
      expect(await refused(`GET ${mount}/users/% HTTP/1.1`)).toEqual([400, "MALFORMED_TARGET"]);
      expect(await refused(`GET ${mount}/users/%ff HTTP/1.1`)).toEqual([400, "MALFORMED_TARGET"]);
      expect(await refused(`DELETE http://x${mount}/users/%zz HTTP/1.1`)).toEqual([400, "MALFORMED_TARGET"]);
      expect(await refused(`PROPFIND ${mount}/users HTTP/1.1`)).toEqual([405, "METHOD_NOT_ALLOWED"]);
      expect(await refused(`PURGE ${mount}/users/1 HTTP/1.1`)).toEqual([405, "METHOD_NOT_ALLOWED"]);
      if (parsesQuery) expect(await refused(`QUERY ${mount}/users HTTP/1.1`)).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    });

    if (host.nodeRequests)
      it("answers TRACE as a problem, too", async () => {
        expect(await refused(`TRACE ${mount}/users HTTP/1.1`)).toEqual([405, "METHOD_NOT_ALLOWED"]);
      });

    it("refuses a transfer coding other than chunked, and closes the connection", async () => {
      const connection = new RawConnection(running.port);
      connection.write(`POST ${mount}/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n`);
      const { status, headers, body } = await connection.write('e\r\n{"name":"Eve"}\r\n0\r\n\r\n').readResponse();
      expect([status, JSON.parse(body).code, headers.get("connection")]).toEqual([501, "TRANSFER_CODING_UNSUPPORTED", "close"]);
      await connection.readToEnd();
      connection.destroy();
    });

    it("does not delete where a parameter is unknown", async () => {
      const { headers } = await create("Ada");
      const path = headers.location?.slice(mount.length) ?? "";
      expect((await at(`${path}?dryRun=true`, { method: "DELETE" })).status).toBe(400);
      expect((await at(path)).status).toBe(200);
    });

    it("answers HEAD with the length of the GET to the byte", async () => {
      const { headers } = await create("Zoë");
      const path = headers.location?.slice(mount.length) ?? "";
      const get = await at(path);
      const head = await at(path, { method: "HEAD" });
      expect(get.headers["content-length"]).toBe(String(get.body.length));
      expect({ status: head.status, etag: head.headers.etag, length: head.headers["content-length"], body: head.body.length }).toEqual({
        status: 200,
        etag: get.headers.etag,
        length: get.headers["content-length"],
        body: 0,
      });
    });

    it("answers If-None-Match with a bare 304", async () => {
      const { headers } = await create("Ada");
      const path = headers.location?.slice(mount.length) ?? "";
      const { etag = "" } = (await at(path)).headers;
      const { status, headers: bare, body } = await at(path, { headers: { "If-None-Match": etag } });
      expect({ status, etag: bare.etag, type: bare["content-type"], length: bare["content-length"], body: body.length }).toEqual({
        status: 304,
        etag,
        type: undefined,
        length: undefined,
        body: 0,
      });
    });

    it("answers DELETE with a bare 204", async () => {
      const { headers } = await create("Ada");
      const { status, headers: bare } = await at(headers.location?.slice(mount.length) ?? "", { method: "DELETE" });
      expect({ status, type: bare["content-type"], length: bare["content-length"] }).toEqual({ status: 204, type: undefined, length: undefined });
    });

    it.each([
      { problem: "bad JSON", sent: { method: "POST", headers: asJson, body: '{"name":' }, status: 400, code: "MALFORMED_JSON" },
      { problem: "an empty body", sent: { method: "POST", headers: { ...asJson, "Content-Length": "0" } }, status: 400, code: "MALFORMED_JSON" },
      {
        problem: "another type",
        sent: { method: "POST", headers: { "Content-Type": "text/plain" }, body: "{}" },
        status: 415,
        code: "UNSUPPORTED_MEDIA_TYPE",
      },
      { problem: "a wrong field", sent: { method: "POST", headers: asJson, body: '{"name":1}' }, status: 422, code: "VALIDATION_FAILED" },
      { problem: "a method that is not there", sent: { method: "PATCH" }, status: 405, code: "METHOD_NOT_ALLOWED" },
      { problem: "a DELETE of nothing in particular", sent: { method: "DELETE" }, status: 400, code: "FILTER_REQUIRED" },
    ])("answers $problem with $status $code", async ({ sent, status, code }) => {
      expect(problemOf(await at("/users", sent))).toEqual({ status, code, type: "application/problem+json" });
    });

    it.each([{ chunked: false }, { chunked: true }])(
      "answers 413 to a body over the limit, and the next request (chunked: $chunked)",
      async ({ chunked }) => {
        const agent = keepAliveAgent();
        const text = JSON.stringify({ name: "x".repeat(limitBytes) });
        const sent = { method: "POST", headers: asJson, body: chunked ? [text.slice(0, 1_000), text.slice(1_000)] : text };
        const first = await send(running.port, `${mount}/users`, sent, agent);
        const next = await send(running.port, `${mount}/users`, {}, agent);
        agent.destroy();
        expect(problemOf(first)).toEqual({ status: 413, code: "PAYLOAD_TOO_LARGE", type: "application/problem+json" });
        expect(next.status).toBe(200);
      },
    );

    it.runIf(parsesQuery)("answers a list that QUERY asks for in its body", async () => {
      await create("Query");
      const body = JSON.stringify({ filter: { or: [{ name: "Query" }, { name: { like: "nobody*" } }] }, fields: "name" });
      const answer = await at("/users", { method: "QUERY", headers: asJson, body });
      expect([answer.status, JSON.parse(answer.body.toString()).data[0]]).toEqual([200, { name: "Query" }]);
      const search = JSON.stringify({ collection: "users", ...JSON.parse(body) });
      expect((await at("/searches", { method: "POST", headers: asJson, body: search })).body).toEqual(answer.body);
    });

    it.each([{ chunked: false }, { chunked: true }])("removes what a DELETE names in its body (chunked: $chunked)", async ({ chunked }) => {
      const ids = [await create("Ada"), await create("Ben")].map(({ body }) => JSON.parse(body.toString()).id);
      const text = JSON.stringify({ ids });
      // Node's client does not frame the pieces of a DELETE unless it is told to.
      const pieces = { headers: { ...asJson, "Transfer-Encoding": "chunked" }, body: [text.slice(0, 3), text.slice(3)] };
      const { status, body } = await at("/users", { method: "DELETE", ...(chunked ? pieces : { headers: asJson, body: text }) });
      const results = ids.map((id, index) => ({ index, status: 204, id }));
      expect([status, JSON.parse(body.toString()).results]).toEqual([200, results]);
      expect((await at(`/users/${ids[0]}`)).status).toBe(404);
    });

    it("answers OPTIONS with the methods of the path", async () => {
      const { status, headers, body } = await at("/users", { method: "OPTIONS" });
      expect({ status, allow: methods(headers.allow), body: body.length }).toEqual({
        status: 204,
        allow: methods("DELETE, GET, HEAD, OPTIONS, POST, QUERY"),
        body: 0,
      });
    });

    it("names the methods of the path in a 405", async () => {
      const { headers } = await at("/users", { method: "PUT", headers: asJson, body: "{}" });
      expect(methods(headers.allow)).toEqual(methods("DELETE, GET, HEAD, OPTIONS, POST, QUERY"));
    });

    it("echoes the request id", async () => {
      expect((await at("/users", { headers: { "X-Request-ID": "r-7" } })).headers["x-request-id"]).toBe("r-7");
    });
  });
}

function problemOf({ status, headers, body }: Received) {
  return { status, code: JSON.parse(body.toString()).code, type: headers["content-type"] };
}

function methods(allow: string | undefined): ReadonlySet<string> {
  return new Set(allow?.split(", "));
}
