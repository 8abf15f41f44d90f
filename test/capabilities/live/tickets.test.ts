import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { afterEach, describe, expect, test, vi } from "vitest";
import { clientOf } from "../../tools/client.js";
import { EventStreamClient, words } from "../../tools/eventStreamClient.js";
import { describeInStorages } from "../../tools/storage/describeInStorages.js";
import type { LiveService } from "./liveService.js";
import { served, serviceOn } from "./stage.js";

const withTicket = (url: string, ticket: string) => EventStreamClient.connect(`${url}&ticket=${encodeURIComponent(ticket)}`, { token: null });

async function ticketOf(service: LiveService, token: string, headers: Record<string, string> = {}): Promise<string> {
  const { status, json } = await clientOf(service)({
    method: "POST",
    target: "/live/tickets",
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  expect({ status, json }).toMatchObject({ status: 201, json: { ticket: expect.any(String), expiresAt: expect.any(String) } });
  return json.ticket;
}

afterEach(() => {
  vi.useRealTimers();
});

describeInStorages("tickets", async (open) => {
  test("a ticket opens one stream with the rights of its caller, in whichever process", async () => {
    const { storage } = await open();
    const [first, second] = [serviceOn({ storage }), serviceOn({ storage })];
    await first.start();
    const urls = [await served(first), await served(second)] as const;
    const ticket = await ticketOf(first, "ada");
    const client = await withTicket(`${urls[1]}/orders?status=open`, ticket);
    await client.until((told) => told.length > 0);
    await first.asSystem().orders.create({ id: "a", owner: "ada" });
    await first.asSystem().orders.create({ id: "b", owner: "bob" });
    await first.asSystem().orders.create({ id: "c", owner: "ada" });
    expect(words(await client.until((told) => told.length > 2))).toEqual(["ready", "created a", "created c"]);
    for (const url of urls) {
      const again = await withTicket(`${url}/orders?status=open`, ticket);
      expect({ status: again.status, problem: again.problem }).toMatchObject({ status: 401, problem: { code: "UNAUTHENTICATED" } });
    }
    const next = await EventStreamClient.connect(
      `${urls[0]}/orders?status=open&after=${client.lastId}&ticket=${encodeURIComponent(await ticketOf(second, "ada"))}`,
      { token: null },
    );
    await first.asSystem().orders.remove("a");
    expect(words(await next.until((told) => told.length > 0))).toEqual(["removed a"]);
  });

  test("of uses at the same time one succeeds", async () => {
    const { storage } = await open();
    const service = serviceOn({ storage });
    await service.start();
    const url = await served(service);
    const ticket = await ticketOf(service, "ada");
    const clients = await Promise.all(Array.from({ length: 8 }, () => withTicket(`${url}/orders?`, ticket)));
    expect(clients.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
  });
});

describe("a ticket", () => {
  test("ends after a minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const service = serviceOn({ storage: memoryStorage() });
    const url = await served(service);
    const [used, late] = [await ticketOf(service, "ada"), await ticketOf(service, "ada")];
    vi.setSystemTime(Date.now() + 59_000);
    expect((await withTicket(`${url}/orders?`, used)).status).toBe(200);
    vi.setSystemTime(Date.now() + 1_000);
    expect((await withTicket(`${url}/orders?`, late)).status).toBe(401);
  });

  test("keeps the tenant that its request has chosen", async () => {
    const storage = memoryStorage();
    const service = serviceOn({ storage, tenant: ({ headers }) => headers.get("x-tenant-id") });
    const url = await served(service);
    const client = await withTicket(`${url}/orders?`, await ticketOf(service, "admin", { "x-tenant-id": "acme" }));
    await client.until((told) => told.length > 0);
    await service.asSystem({ tenant: "other" }).orders.create({ id: "a" });
    await service.asSystem({ tenant: "acme" }).orders.create({ id: "b" });
    expect(words(await client.until((told) => told.length > 1))).toEqual(["ready", "created b"]);
  });

  test.each([
    ["that is another text", () => "nonsense"],
    ["that was changed", (ticket: string) => ticket.slice(0, 30) + (ticket[30] === "A" ? "B" : "A") + ticket.slice(31)],
    ["of another service", async () => ticketOf(serviceOn({ storage: memoryStorage(), secrets: ["a secret of another service"] }), "ada")],
    ["that is empty", () => ""],
  ])("%s is 401", async (_, make) => {
    const service = serviceOn({ storage: memoryStorage() });
    const url = await served(service);
    const { status, problem } = await withTicket(`${url}/orders?`, await make(await ticketOf(service, "ada")));
    expect({ status, problem }).toMatchObject({ status: 401, problem: { code: "UNAUTHENTICATED" } });
  });

  test("given twice is 401, and with other credentials it counts alone", async () => {
    const service = serviceOn({ storage: memoryStorage() });
    const url = await served(service);
    const [first, second] = [await ticketOf(service, "ada"), await ticketOf(service, "ada")];
    expect((await withTicket(`${url}/orders?ticket=${encodeURIComponent(first)}`, second)).status).toBe(401);
    const client = await EventStreamClient.connect(`${url}/orders?ticket=${encodeURIComponent(second)}`, { token: "bob" });
    await client.until((told) => told.length > 0);
    await service.asSystem().orders.create({ id: "b", owner: "bob" });
    await service.asSystem().orders.create({ id: "a", owner: "ada" });
    expect(words(await client.until((told) => told.length > 1))).toEqual(["ready", "created a"]);
  });

  test("is for events only", async () => {
    const service = serviceOn({ storage: memoryStorage() });
    const send = clientOf(service);
    const ticket = encodeURIComponent(await ticketOf(service, "ada"));
    expect((await send({ target: `/orders?ticket=${ticket}`, headers: { authorization: "" } })).status).toBe(401);
    const { status, json } = await send({ target: `/orders?ticket=${ticket}`, headers: { authorization: "Bearer ada" } });
    expect({ status, json }).toMatchObject({ status: 400, json: { code: "UNKNOWN_FIELD" } });
    expect((await withTicket(`${await served(service)}/orders?`, decodeURIComponent(ticket))).status).toBe(200);
  });

  test("is for callers with credentials, and its answer is not kept", async () => {
    const send = clientOf(serviceOn({ storage: memoryStorage(), anonymous: "allow" }));
    const request = { method: "POST", target: "/live/tickets" };
    expect((await send({ ...request, headers: {} })).status).toBe(401);
    const { headers } = await send({ ...request, headers: { authorization: "Bearer ada" } });
    expect(headers["cache-control"]).toBe("no-store");
  });

  test("that would be too long for a URL is refused", async () => {
    const long = { authorization: `Bearer ${"a".repeat(5_000)}` };
    const { status, json } = await clientOf(serviceOn({ storage: memoryStorage() }))({ method: "POST", target: "/live/tickets", headers: long });
    expect({ status, json }).toMatchObject({ status: 501, json: { code: "NOT_SUPPORTED" } });
  });

  test("does not exist without credentials, or where its use could not be noted", async () => {
    for (const options of [{ auth: [] }, { idempotency: false }] as const) {
      const send = clientOf(serviceOn({ storage: memoryStorage(), ...options }));
      await expect(send({ method: "POST", target: "/live/tickets" })).rejects.toThrow("No route");
    }
  });

  test("is in the OpenAPI document, as a scheme of the streams alone", async () => {
    const service = serviceOn({ storage: memoryStorage(), use: [openapi({ info: { title: "Orders", version: "1" } })] });
    const { json } = await clientOf(service)({ target: "/openapi.json", headers: { authorization: "Bearer admin" } });
    expect(json.components.securitySchemes.liveTicket).toEqual({ type: "apiKey", in: "query", name: "ticket" });
    expect(json.paths["/orders"].get.security).toEqual([{ bearer: [] }, { liveTicket: [] }]);
    expect(json.paths["/orders"].post.security).toEqual([{ bearer: [] }]);
    expect(json.paths["/live/tickets"].post.responses).toMatchObject({ 201: {}, 401: {} });
  });
});
