// @slow

import { join } from "node:path";
import { createClient } from "restwright/client";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../tools/eventually.js";
import { programFolder } from "../../tools/programFolder.js";
import type { LiveService } from "./liveService.js";
import { begin } from "./restarted.js";

const admin = { id: "admin", scopes: ["all"] };

test("rows that the client keeps current go on over the end and the begin of the server", { timeout: 60_000 }, async () => {
  const path = join(programFolder(), "data.db");
  const first = await begin(path);
  const client = createClient<LiveService>({ baseUrl: `http://127.0.0.1:${first.port}`, auth: () => ({ authorization: "Bearer admin" }) });
  const open = client.orders.live({ where: { status: "open" }, sort: "-total" });
  onTestFinished(() => open.close());
  let told = 0;
  open.subscribe(() => {
    told += 1;
  });
  const shown = () => open.get().rows.map(({ id, total }) => `${id} ${total}`);
  await first.service.as(admin).orders.create({ id: "a", total: 1 });
  await eventually(() => expect([open.get().state, ...shown()]).toEqual(["live", "a 1"]));
  await first.service.as(admin).orders.create({ id: "b", total: 2 });
  await eventually(() => expect(shown()).toEqual(["b 2", "a 1"]));
  await first.end();
  await eventually(() => expect(open.get().state).toBe("reconnecting"));

  // Another process writes while there is no server.
  const meanwhile = await begin(path);
  await meanwhile.service.as(admin).orders.update("a", { total: 3 });
  await meanwhile.service.as(admin).orders.update("b", { status: "paid" });
  await meanwhile.service.as(admin).orders.create({ id: "c", total: 2.5 });
  await meanwhile.end();

  const second = await begin(path, first.port);
  onTestFinished(() => second.end());
  await eventually(() => expect([open.get().state, ...shown()]).toEqual(["live", "a 3", "c 2.5"]));
  await second.service.as(admin).orders.remove("a");
  await eventually(() => expect(shown()).toEqual(["c 2.5"]));
  expect(told).toBeGreaterThan(3);
});

test("watch tells what the server tells, in the types of the collection", { timeout: 60_000 }, async () => {
  const server = await begin(join(programFolder(), "data.db"));
  onTestFinished(() => server.end());
  const client = createClient<LiveService>({ baseUrl: `http://127.0.0.1:${server.port}`, auth: () => ({ authorization: "Bearer ada" }) });
  const seen: string[] = [];
  for await (const change of client.orders.watch({ where: { status: "open" } })) {
    seen.push(change.kind);
    const { orders } = server.service.as(admin);
    if (change.kind === "ready") {
      await orders.create({ id: "other", owner: "bob" });
      await orders.create({ id: "mine", owner: "ada", total: 1.5 });
    } else if (change.kind === "created") {
      expect([change.id, change.row.total]).toEqual(["mine", 1.5]);
      await orders.update("mine", { status: "paid" });
    } else break;
  }
  expect(seen).toEqual(["ready", "created", "left"]);
});
