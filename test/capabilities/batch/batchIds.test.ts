import { defineResource } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Received } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";
import { statusesOf } from "./batchAccounts.js";

/** Numbered by the store, in 64 bits, with a date and a large integer. */
const events = defineResource("events", {
  schema: z.object({
    id: z.bigint(),
    at: z.date().optional(),
    size: z.bigint().default(0n),
    createdAt: z.date(),
    day: z.iso.date().optional(),
  }),
  generated: { id: "increment", createdAt: "createdAt" },
  missingDelete: 204,
});
/** Named by clients. */
const pages = defineResource("pages", {
  schema: z.object({ slug: z.string().regex(/^[a-z-]+$/), title: z.string().default("untitled") }),
  id: "slug",
});
/** Changed only by who has seen them. */
const guarded = defineResource("guarded", {
  schema: z.object({ id: z.string(), name: z.string() }),
  generated: { id: "ulid" },
  requireIfMatch: true,
  strictPatchTypes: true,
});

const resources = [events, pages, guarded];

describeStores("batches of a collection", ({ open }) => {
  async function withService(run: (send: ReturnType<typeof clientOf>) => Promise<void>) {
    const { storage, end }: OpenedStore = await open();
    const service = fullService({ resources, storage });
    try {
      await run(clientOf(service));
    } finally {
      await service.close();
      await end();
    }
  }
  const codes = ({ json }: Received) => json.results.map(({ error }: { error?: { code: string } }) => error?.code);

  test("with 64-bit ids take and give them as text, numbers too, and answer each item", async () => {
    await withService(async (send) => {
      const items = [{ at: "2026-01-31T12:00:00Z", size: "9007199254740993", day: "2026-01-31" }, { at: "yesterday" }, {}];
      const created = await send({ method: "POST", target: "/events/batch", body: { items } });
      expect(statusesOf(created)).toEqual([201, 422, 201]);
      const [first, refused, second] = created.json.results;
      expect(first.data).toMatchObject({ id: first.id, at: "2026-01-31T12:00:00.000Z", size: "9007199254740993", day: "2026-01-31" });
      expect([typeof first.id, first.location]).toEqual(["string", `/events/${first.id}`]);
      expect(refused.error.errors).toMatchObject([{ pointer: "/at" }]);

      const changes = { at: "2026-02-01T01:00:00+01:00", size: "5" };
      const updated = await send({
        method: "PATCH",
        target: "/events/batch",
        body: {
          items: [
            { id: first.id, changes },
            { id: Number(second.id), changes: { at: null } },
            { id: Number(second.id), changes: { size: 7 } },
            { id: "9223372036854775808", changes },
            { id: 1.5, changes },
            { id: "9223372036854775807", changes },
          ],
        },
      });
      expect(statusesOf(updated)).toEqual([200, 200, 200, 422, 422, 404]);
      expect(updated.json.results[0].data).toMatchObject({ id: first.id, at: "2026-02-01T00:00:00.000Z", size: "5" });
      expect(updated.json.results[2].data).toMatchObject({ id: second.id, size: "7" });

      const removed = await send({ method: "POST", target: "/events/batch-delete", body: { ids: [Number(first.id), second.id, first.id, "77"] } });
      expect([removed.status, statusesOf(removed)], removed.text).toEqual([200, [204, 204, 204, 204]]);
      expect(removed.json.results.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id, first.id, "77"]);
      expect((await send({ target: "/events" })).json.data).toEqual([]);
    });
  });

  test("whose rows clients name refuse a name that is taken, and names that cannot be", async () => {
    await withService(async (send) => {
      await send({ method: "PUT", target: "/pages/taken", body: { title: "kept" } });
      const items = [
        { slug: "home" },
        { slug: "taken", title: "x" },
        { slug: "home", title: "y" },
        { slug: "No Slug" },
        { title: "z" },
        { slug: "batch" },
      ];
      const created = await send({ method: "POST", target: "/pages/batch", body: { items } });
      expect(statusesOf(created)).toEqual([201, 422, 422, 422, 422, 422]);
      expect(codes(created)).toEqual([undefined, "DUPLICATE_SLUG", "DUPLICATE_SLUG", "VALIDATION_FAILED", "VALIDATION_FAILED", "VALIDATION_FAILED"]);
      expect(created.json.results[0]).toMatchObject({ id: "home", location: "/pages/home", data: { slug: "home", title: "untitled" } });
      expect((await send({ target: "/pages?sort=slug" })).json.data).toEqual([
        { slug: "home", title: "untitled" },
        { slug: "taken", title: "kept" },
      ]);
      const changes = { title: "new" };
      const updated = await send({
        method: "PATCH",
        target: "/pages/batch",
        body: {
          items: [
            { id: "home", changes },
            { id: "No Slug", changes },
            { id: "none", changes },
            { id: 5, changes },
            { id: "home", changes: { slug: "other" } },
          ],
        },
      });
      expect(statusesOf(updated)).toEqual([200, 404, 404, 422, 422]);
      const removed = await send({ method: "POST", target: "/pages/batch-delete", body: { ids: ["home", "home", "../home", "x".repeat(9_999)] } });
      expect(statusesOf(removed)).toEqual([204, 404, 404, 404]);
      // What no store can keep is the fault of its item alone.
      const unkept = await send({ method: "POST", target: "/pages/batch-delete", body: { ids: ["taken", "\u0000"] } });
      expect(statusesOf(unkept)).toEqual([204, 422]);
      expect((await send({ target: "/pages?slug=taken" })).json.data).toHaveLength(0);
    });
  });

  test("that asks for If-Match asks each item for its tag", async () => {
    await withService(async (send) => {
      const created = await send({ method: "POST", target: "/guarded/batch", body: { items: [{ name: "a" }, { name: "b" }, { name: "c" }] } });
      const [a, b, c] = created.json.results;
      const changes = { name: "new" };
      const updated = await send({
        method: "PATCH",
        target: "/guarded/batch",
        headers: { "if-match": "*" },
        body: {
          items: [
            { id: a.id, changes },
            { id: b.id, changes, ifMatch: b.etag },
            { id: c.id, changes, ifMatch: a.etag },
          ],
        },
      });
      expect(statusesOf(updated)).toEqual([428, 200, 412]);
      expect(codes(updated)).toEqual(["PRECONDITION_REQUIRED", undefined, "PRECONDITION_FAILED"]);
      const bare = await send({ method: "POST", target: "/guarded/batch-delete", body: { ids: [a.id, "none"] } });
      expect(statusesOf(bare)).toEqual([428, 404]);
      const removed = await send({
        method: "DELETE",
        target: "/guarded",
        body: {
          items: [
            { id: a.id, ifMatch: a.etag },
            { id: b.id, ifMatch: b.etag },
            { id: c.id, ifMatch: "*" },
          ],
        },
      });
      expect(statusesOf(removed)).toEqual([204, 412, 204]);
      expect((await send({ target: "/guarded" })).json.data).toEqual([{ id: b.id, name: "new" }]);
    });
  });
});
