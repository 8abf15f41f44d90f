// @slow

import { ConfigurationError, problem } from "restwright";
import { job } from "restwright/jobs";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../../tools/eventually.js";
import { describeInStorages } from "../../../tools/storage/describeInStorages.js";
import { notes, ownStage } from "./ownStage.js";

const day = z.object({ day: z.date(), big: z.bigint().optional() });

/** A function that a test opens. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describeInStorages("jobs of the developer's own", async (open) => {
  test("run with their input, and answer what they return", async () => {
    const { storage } = await open();
    const seen: unknown[] = [];
    const nightly = job({
      input: day,
      run({ input, attempt, principal }) {
        seen.push(input, attempt, principal);
        return { rows: 3, at: input.day };
      },
    });
    const { service, ended } = ownStage({ storage, handlers: { nightly, plain: job({ run: () => undefined }) } });
    const { id } = await service.jobs.enqueue("nightly", { day: new Date("2026-03-01T00:00:00Z"), big: 9_007_199_254_740_993n });
    const { status, result, type, owner, tenant } = await ended(id);
    expect({ status, result, type, owner, tenant }).toEqual({
      ...{ status: "completed", type: "nightly", owner: "", tenant: undefined },
      result: { rows: 3, at: "2026-03-01T00:00:00.000Z" },
    });
    expect(seen).toEqual([{ day: new Date("2026-03-01T00:00:00Z"), big: 9_007_199_254_740_993n }, 1, undefined]);
    expect((await ended((await service.jobs.enqueue("plain")).id)).result).toBeUndefined();
  });

  test("are refused with input that is wrong, unknown names and options that cannot be", async () => {
    const { storage } = await open();
    const { service } = ownStage({ storage, handlers: { nightly: job({ input: day, run: () => 1 }), plain: job({ run: () => 1 }) } });
    const enqueue = service.jobs.enqueue as (...given: unknown[]) => Promise<unknown>;
    await expect(enqueue("nightly", { day: "no day" })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    await expect(enqueue("nightly", { day: new Date(0), dya: 1 })).rejects.toMatchObject({ errors: [{ code: "UNKNOWN_FIELD", pointer: "/dya" }] });
    await expect(enqueue("nightly")).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    await expect(enqueue("plain", { day: 1 })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    const refused: readonly (readonly [unknown[], string])[] = [
      [["nihgtly"], "there is no handler"],
      [["toString"], "there is no handler"],
      [["plain", undefined, { at: new Date(Number.NaN) }], '"at" must be a Date'],
      [["plain", undefined, { key: "" }], '"key" must be a text of 1 to 200 characters'],
      [["plain", undefined, { kye: "a" }], 'did you mean "key"'],
      [["plain", undefined, { principal: { id: "" } }], '"id"'],
      [["plain", undefined, { principal: { id: "ada", tenant: "a" }, tenant: "b" }], "of another tenant"],
    ];
    for (const [given, message] of refused) {
      const error = await enqueue(...given).catch((thrown: unknown) => thrown);
      expect(error, JSON.stringify(given)).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain(message);
    }
  });

  test("of one key wait or run once, in each tenant, and again when that one has ended", async () => {
    const { storage } = await open();
    const { open: go, opened } = gate();
    let runs = 0;
    const handlers = {
      nightly: job({
        async run() {
          runs += 1;
          await opened;
        },
      }),
    };
    const { service, ended } = ownStage({ storage, handlers });
    const enqueue = (tenant?: string) => service.jobs.enqueue("nightly", undefined, { key: "2026-03-01", ...(tenant !== undefined && { tenant }) });
    const made = await Promise.all([enqueue(), enqueue(), enqueue(), enqueue("other")]);
    expect(new Set(made.map(({ id }) => id)).size).toBe(2);
    await eventually(() => expect(runs).toBe(2));
    expect(await enqueue()).toEqual(made[0]);
    go();
    for (const { id } of made) await ended(id);
    const again = await enqueue();
    expect(made).not.toContainEqual(again);
    await ended(again.id);
    expect(runs).toBe(3);
  });

  test("do not begin before their time", async () => {
    const { storage } = await open();
    const begun: number[] = [];
    const handlers = { later: job({ run: () => begun.push(Date.now()) }) };
    const { service, ended } = ownStage({ storage, handlers });
    const at = new Date(Date.now() + 700);
    const { id } = await service.jobs.enqueue("later", undefined, { at });
    expect((await service.jobs.get(id))?.status).toBe("queued");
    await ended(id);
    expect(begun).toHaveLength(1);
    expect(begun[0]).toBeGreaterThanOrEqual(at.getTime() - 20);
  });

  test("commit with the transaction that enqueues them, or not at all", async () => {
    const { storage } = await open();
    const ran: unknown[] = [];
    const handlers = { mail: job({ input: z.object({ to: z.string() }), run: ({ input }) => ran.push(input.to) }) };
    const { service, system, ended } = ownStage({ storage, handlers });
    let id = "";
    await system.transaction(async (tx) => {
      await tx.notes.create({ text: "committed" });
      ({ id } = await tx.jobs.enqueue("mail", { to: "ada" }));
    });
    await ended(id);
    const failed = system.transaction(async (tx) => {
      ({ id } = await tx.jobs.enqueue("mail", { to: "eve" }));
      throw problem("NO", 409, "rolled back");
    });
    await expect(failed).rejects.toMatchObject({ code: "NO" });
    expect(await service.jobs.get(id)).toBeUndefined();
    await expect(system.transaction((tx) => tx.jobs.enqueue("mial"))).rejects.toThrow('there is no handler "mial"');
    // From a hook.
    await system.notes.create({ text: "mail ada" });
    await eventually(() => expect(ran).toEqual(["ada", "mail ada"]));
    await expect(system.notes.create({ text: "mail nobody" })).rejects.toThrow();
    const { id: last } = await service.jobs.enqueue("mail", { to: "last" });
    await ended(last);
    expect(ran).toEqual(["ada", "mail ada", "last"]);
  });

  test("go on at their checkpoint, whose writes commit with it", async () => {
    const { storage } = await open();
    const begins: unknown[] = [];
    const handlers = {
      copy: job({
        async run({ checkpoint, attempt }) {
          begins.push([attempt, checkpoint.value]);
          for (let at = Number(checkpoint.value ?? 0) + 1; at <= 4; at += 1) {
            await checkpoint(at, async (tx) => {
              await tx.of(notes).create({ text: `row ${at}` });
              if (at === 3 && begins.length === 1) throw new Error("the process would have ended here");
            });
          }
          return checkpoint.value;
        },
      }),
    };
    const { service, system, ended } = ownStage({ storage, handlers });
    const { id } = await service.jobs.enqueue("copy");
    await eventually(async () => expect((await service.jobs.get(id))?.attempts).toBe(0));
    const { result, status } = await ended(id);
    expect({ result, status }).toEqual({ result: 4, status: "completed" });
    expect(begins).toEqual([
      [1, undefined],
      [2, 2],
    ]);
    expect((await system.notes.list({ sort: "id" })).data.map(({ text }) => text)).toEqual(["row 1", "row 2", "row 3", "row 4"]);
  });

  test("keep a checkpoint that other calls of the job run beside", async () => {
    const { storage } = await open();
    const begins: unknown[] = [];
    const handlers = {
      busy: job({
        async run({ checkpoint, tx, progress, attempt }) {
          begins.push(checkpoint.value);
          if (attempt > 1 || begins.length > 1) return checkpoint.value;
          const beside = Array.from({ length: 20 }, async (_, at) => {
            await progress(at, 20);
            await tx((inner) => inner.of(notes).create({ text: `${at}` }));
          });
          await Promise.all([checkpoint("reached", (inner) => inner.of(notes).create({ text: "checkpoint" })), ...beside]);
          throw new Error("again");
        },
      }),
    };
    const { service, system, ended } = ownStage({ storage, handlers });
    const { id } = await service.jobs.enqueue("busy");
    expect((await ended(id)).result).toBe("reached");
    expect(begins).toEqual([undefined, "reached"]);
    expect((await system.notes.list({ perPage: 50 })).data).toHaveLength(21);
  });

  test("that another worker has taken over commit nothing more", async () => {
    const { storage } = await open();
    const { open: go, opened } = gate();
    const ends: unknown[] = [];
    let runs = 0;
    const handlers = {
      slow: job({
        async run({ tx, checkpoint }) {
          runs += 1;
          if (runs > 1) return "second";
          await opened;
          for (const attempt of [
            () => tx((inner) => inner.of(notes).create({ text: "late" })),
            () => checkpoint(1, (inner) => inner.of(notes).create({ text: "late too" })),
            () => checkpoint(2),
          ])
            ends.push(await attempt().catch((error: Error) => error.name));
          return "first";
        },
      }),
    };
    const { service, system, ended } = ownStage({ storage, handlers });
    const { id } = await service.jobs.enqueue("slow");
    await eventually(() => expect(runs).toBe(1));
    // As if the lease had ended: it is claimed again.
    expect(await storage.jobs?.release({ id, fence: 1 }, { delayMs: 0, failed: false })).toBe(true);
    expect((await ended(id)).result).toBe("second");
    go();
    await eventually(() => expect(ends).toEqual(["LeaseLost", "LeaseLost", "LeaseLost"]));
    expect((await system.notes.list()).data).toEqual([]);
  });

  test("belong to their principal, who sees them over HTTP, and whose rights they have", async () => {
    const { storage } = await open();
    const seen: unknown[] = [];
    const handlers = {
      mine: job({
        async run({ shop, principal }) {
          seen.push(principal?.id);
          return (await shop.of(notes).list()).data.map(({ text }) => text);
        },
      }),
    };
    const { service, system, ended } = ownStage({ storage, handlers });
    await system.notes.create({ text: "of ada", owner: "ada" });
    await system.notes.create({ text: "of eve", owner: "eve" });
    const { id } = await service.jobs.enqueue("mine", undefined, { principal: { id: "ada" } });
    expect((await ended(id)).result).toEqual(["of ada"]);
    expect(seen).toEqual(["ada"]);
    const get = (user: string, path = "", method = "GET") =>
      service.fetch(new Request(`http://x/jobs/${id}${path}`, { method, headers: { authorization: `Bearer ${user}` } }));
    const shown = await get("ada");
    expect([shown.status, await shown.json()]).toMatchObject([
      200,
      { id, type: "mine", status: "completed", result: ["of ada"], links: { self: `/jobs/${id}` } },
    ]);
    expect((await get("eve")).status).toBe(404);
    const events = await get("ada", "/events");
    expect(events.headers.get("content-type")).toBe("text/event-stream");
    expect(await events.text()).toContain("event: end");
    expect((await get("eve", "/events")).status).toBe(404);
    expect((await get("ada", "", "DELETE")).status).toBe(204);
    expect(await service.jobs.get(id)).toBeUndefined();
  });

  test("are canceled and tried again from code", async () => {
    const { storage } = await open();
    let isBroken = true;
    const handlers = {
      fragile: job({
        async run({ checkpoint }) {
          if (isBroken) throw problem("NO_PAPER", 409, "There is no paper.");
          await checkpoint("printed");
          return "printed";
        },
      }),
    };
    const { service, ended } = ownStage({ storage, handlers });
    const { id } = await service.jobs.enqueue("fragile", undefined, { key: "print" });
    expect((await ended(id)).error).toMatchObject({ code: "NO_PAPER" });
    isBroken = false;
    const { id: other } = await service.jobs.enqueue("fragile", undefined, { key: "print", at: new Date(Date.now() + 60_000) });
    expect(await service.jobs.retry(id)).toBe(false);
    expect(await service.jobs.cancel(other)).toBe(true);
    expect(await service.jobs.cancel(other)).toBe(false);
    expect(await service.jobs.retry(id)).toBe(true);
    expect(await ended(id)).toMatchObject({ status: "completed", result: "printed" });
    expect(await service.jobs.retry(id)).toBe(false);
    expect([await service.jobs.retry("none"), await service.jobs.cancel("none"), await service.jobs.get("a\u0000b")]).toEqual([
      false,
      false,
      undefined,
    ]);
  });
});
