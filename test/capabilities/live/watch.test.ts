import { createService, defineResource } from "restwright";
import { live } from "restwright/live";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { describeInMemory } from "../../tools/storage/describeInStorages.js";
import { orders } from "./liveService.js";
import { serviceOn } from "./stage.js";

const admin = { id: "admin", scopes: ["all"] };

describeInMemory("service.watch", async (open) => {
  test("tells a principal what its list shows, and goes on after a position", async () => {
    const service = serviceOn(await open());
    const calls = service.as(admin).orders;
    const kinds: string[] = [];
    let position: string | undefined;
    for await (const change of service.watch({ id: "ada" }, "orders", { where: { status: "open" }, fields: ["id"] })) {
      kinds.push("id" in change ? `${change.kind} ${change.id}` : change.kind);
      if (change.kind === "ready") {
        await calls.create({ id: "b", owner: "bob" });
        await calls.create({ id: "a", owner: "ada" });
      }
      if (change.kind === "created") {
        expect(change.row).toEqual({ id: "a" });
        position = change.position;
        break;
      }
    }
    expect(kinds).toEqual(["ready", "created a"]);
    await calls.remove("a");
    for await (const change of service.watch({ id: "ada" }, "orders", { where: { status: "open" }, after: position })) {
      expect(change).toMatchObject({ kind: "removed", id: "a" });
      break;
    }
  });

  test("tells the system of all rows of a tenant, and ends by the signal", async () => {
    const service = serviceOn(await open());
    const abort = new AbortController();
    const seen: unknown[] = [];
    for await (const change of service.watch({ system: true, tenant: "t" }, "orders", { signal: abort.signal })) {
      seen.push(change.kind);
      if (change.kind === "ready") await service.asSystem({ tenant: "t" }).orders.create({ id: "a", owner: "bob" });
      else abort.abort();
    }
    expect(seen).toEqual(["ready", "created"]);
  });

  test("refuses other collections, faults and positions", async () => {
    const service = serviceOn(await open());
    await expect(service.watch(admin, "others").next()).rejects.toThrow('"others" is no collection with "live: true"; there are: orders.');
    await expect(service.watch(admin, "orders", { where: { colour: "red" } }).next()).rejects.toMatchObject({ status: 400 });
    await expect(service.watch(admin, "orders", { after: "x" }).next()).rejects.toMatchObject({ code: "INVALID_POSITION" });
  });
});

describe("live() refuses", () => {
  const schema = z.object({ id: z.string() });

  test("a storage that keeps no changes", () => {
    const { changes: _, ...storage } = memoryStorage();
    expect(() => createService({ resources: [orders], storage, logger: false, use: [live()] })).toThrow("keeps no changes");
  });

  test("an existing table, and a field with the name of its parameter", () => {
    const storage = memoryStorage();
    const mapped = defineResource("books", { schema, live: true, table: { name: "book", managed: false, tenant: "shared" } });
    expect(() => createService({ resources: [mapped], storage: { ...storage, mapsTables: true }, logger: false, use: [live()] })).toThrow(
      'books: "live" needs a table of this library',
    );
    const named = defineResource("books", { schema: z.object({ id: z.string(), after: z.string() }), live: true });
    expect(() => createService({ resources: [named], storage, logger: false, use: [live()] })).toThrow('books: "live" has a parameter "after"');
  });

  test("a collection with live: true is refused without it", () => {
    expect(() => createService({ resources: [orders], storage: memoryStorage(), logger: false })).toThrow('live() of "restwright/live"');
  });

  test("unknown options", () => {
    expect(() => live({ keep: { ms: 1 } })).toThrow("live");
    onTestFinished(() => {});
  });
});
