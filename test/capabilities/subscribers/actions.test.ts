import { actions } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { type Given, type Tools, withActions } from "../actions/stage.js";
import { orderOf, pause, stageOn, until } from "./stage.js";

const orders = withActions("orders", {
  schema: z.object({ id: z.int(), status: z.string().default("open") }),
  generated: { id: "increment" },
  actions: ({ action }: Tools) => ({
    cancel: action({
      on: "row",
      events: ["order.cancelled"],
      async run({ row, emit }: Given) {
        await emit("order.cancelled", { orderId: row.id });
        if (row.status === "sent") throw new Error("It is too late.");
        return { status: "cancelled" };
      },
    }),
  }),
});

test("an event that an action emits is handled if and only if the action commits", async () => {
  const { service } = stageOn({ storage: memoryStorage(), resources: [orders], anonymous: "allow", more: [actions()] });
  const seen: unknown[] = [];
  service.on("order.cancelled", { name: "refunds" }, (event) => void seen.push(orderOf(event)));
  const send = clientOf(service);
  const ids: number[] = [];
  for (const status of ["sent", "open"]) ids.push((await send({ method: "POST", target: "/orders", body: { status } })).json.id);
  const answers: number[] = [];
  for (const id of ids) answers.push((await send({ method: "POST", target: `/orders/${id}/cancel` })).status);
  expect(answers).toEqual([500, 200]);
  await until("it is handled", () => seen.length > 0);
  await pause();
  expect(seen).toEqual([ids[1]]);
});
