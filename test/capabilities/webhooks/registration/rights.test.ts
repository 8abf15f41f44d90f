import type { Authorize } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import type { Sent } from "../../../tools/client.js";
import { heardBy, hookUrl, Receiver, register, stageOn } from "../emissionStage.js";
import { order, post } from "../emissionWrites.js";

type Asked = Pick<Parameters<Authorize>[0], "action" | "collection">;

const as = (who: string) => ({ authorization: `Bearer ${who}` });

/** A service that asks of everybody but the root what is allowed. */
function setUp(allows: (request: Asked) => boolean | { readonly hide: true }) {
  const asked: string[] = [];
  const stage = stageOn(memoryStorage(), {
    auth: [bearer((id) => ({ id }))],
    authorize: ({ principal, action, collection }) => {
      if (principal.id === "root") return true;
      asked.push(`${action} ${collection}`);
      return allows({ action, collection });
    },
    webhooks: { transport: new Receiver(), events: ["report.ready"], work: false, isAdmin: () => true },
  });
  return { ...stage, asked };
}

describe("authorize", () => {
  const routes: readonly (readonly [string, (id: string) => Sent, string])[] = [
    ["POST /webhooks", () => post("/webhooks", { url: hookUrl, events: ["report.*"] }), "create"],
    ["GET /webhooks", () => ({ target: "/webhooks" }), "list"],
    ["GET of one", (id) => ({ target: `/webhooks/${id}` }), "read"],
    ["PATCH", (id) => ({ method: "PATCH", target: `/webhooks/${id}`, body: { active: false } }), "update"],
    ["DELETE", (id) => ({ method: "DELETE", target: `/webhooks/${id}` }), "remove"],
    ["the rotation", (id) => post(`/webhooks/${id}/rotate-secret`, {}), "update"],
    ["the test", (id) => post(`/webhooks/${id}/test`, {}), "update"],
    ["the log", (id) => ({ target: `/webhooks/${id}/deliveries` }), "list"],
    ["a delivery", (id) => ({ target: `/webhooks/${id}/deliveries/dlv_1` }), "read"],
    ["a replay", (id) => ({ method: "POST", target: `/webhooks/${id}/deliveries/dlv_1/replay` }), "update"],
    ["the recovery", (id) => post(`/webhooks/${id}/recover`, { since: "2026-01-01T00:00:00Z" }), "update"],
  ];

  test.each(routes)("is asked for %s, and refuses it", async (_name, request, action) => {
    const stage = setUp(() => false);
    const id = await register(stage, {}, as("root"));
    const { status } = await stage.send({ ...request(id), headers: as("bob") });
    expect([status, stage.asked]).toEqual([403, [`${action} webhooks`]]);
    expect((await stage.send({ target: `/webhooks/${id}`, headers: as("root") })).json).toMatchObject({ active: true, previousSecretUntil: null });
  });

  test("may hide webhooks", async () => {
    const stage = setUp(() => ({ hide: true }));
    const id = await register(stage, {}, as("root"));
    expect((await stage.send({ target: `/webhooks/${id}`, headers: as("bob") })).status).toBe(404);
  });

  const mayNotListOrders = ({ action, collection }: Asked) => collection !== "orders" || action !== "list";

  test.each([[["order.created"]], [["order.*"]], [["*"]], [["*.removed"]], [["report.ready", "*.completed"]]])(
    "who may not list a collection does not hear of its events: %j",
    async (events) => {
      const stage = setUp(mayNotListOrders);
      const registration = post("/webhooks", { url: hookUrl, events }, as("bob"));
      expect((await stage.send(registration)).status).toBe(403);
      expect((await stage.send({ target: "/webhooks", headers: as("root") })).json.data).toEqual([]);

      const id = await register(stage, { events: ["payment.*", "report.*"] }, as("bob"));
      const change = { method: "PATCH", target: `/webhooks/${id}`, body: { events }, headers: as("bob") };
      expect((await stage.send(change)).status).toBe(403);
      await stage.send(post("/orders", order(1), as("root")));
      expect(await heardBy(stage.storage, id)).toEqual([]);
    },
  );

  test("is asked for the lists of just those collections whose events are wanted", async () => {
    const stage = setUp(() => true);
    const id = await register(stage, { events: ["payment.*", "report.ready"] }, as("bob"));
    expect(stage.asked.filter((asked) => asked.startsWith("list "))).toEqual(["list payments"]);
    stage.asked.length = 0;
    await stage.send({ method: "PATCH", target: `/webhooks/${id}`, body: { events: ["order.*"] }, headers: as("bob") });
    expect(stage.asked.filter((asked) => asked.startsWith("list "))).toEqual(["list orders"]);
    stage.asked.length = 0;
    await stage.send({ method: "PATCH", target: `/webhooks/${id}`, body: { active: false }, headers: as("bob") });
    expect(stage.asked.filter((asked) => asked.startsWith("list "))).toEqual([]);
  });
});
