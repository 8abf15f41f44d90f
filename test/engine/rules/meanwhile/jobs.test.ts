// @long

import { FakeClock } from "restwright/testing";
import { expect, test } from "vitest";
import { eventually } from "../../../tools/eventually.js";
import { describeRights } from "./onStores.js";
import type { Process, RightsStage } from "./stage.js";

const later = { prefer: "respond-async" };
const csv = { "content-type": "text/csv" };

/** All notes get a new text, by a job of ann. */
const updateAll = ({ as }: Process) => as("ann", "POST", "/notes/bulk-update?text[ne]=changed", { text: "changed" }, later);

/** Calls back at the n-th slice of a job by filter: each slice asks the scope of updates before the write once. */
function atSlice(stage: RightsStage, nth: number, does: () => void): void {
  let slices = 0;
  stage.onScope = ({ principal, action, when }) => {
    if (principal.id !== "ann" || action !== "update" || when !== "before") return;
    slices += 1;
    if (slices === nth) does();
  };
}

describeRights("rights of a job", (open) => {
  /** Ann, an admin, has sent a job for all 2,500 notes of bob; no process runs it yet. */
  async function submitted() {
    const stage = await open();
    const front = stage.process(false);
    stage.roles.set("ann", "admin");
    await stage.seed(front, "bob", 2_500);
    const accepted = await updateAll(front);
    return { stage, front, accepted };
  }

  test("a principal that is removed between submit and run: the job fails and changes nothing", async () => {
    const { stage, accepted } = await submitted();
    stage.roles.delete("ann");
    const worker = stage.process(true);
    const { status, error } = await stage.ended(worker, accepted);
    expect([status, error?.code]).toEqual(["failed", "FORBIDDEN"]);
    expect(stage.reloaded).toEqual(["ann"]);
    expect(await stage.count(worker, "changed")).toBe(0);
  });

  test("a role that is taken away between submit and run: the rows that are left to the principal are changed", async () => {
    const { stage, front, accepted } = await submitted();
    await stage.seed(front, "ann", 2);
    stage.roles.set("ann", "member");
    const worker = stage.process(true);
    const { status, processedRows } = await stage.ended(worker, accepted);
    expect([status, processedRows]).toEqual(["completed", 2]);
    expect(await stage.count(worker, "changed")).toBe(2);
  });

  test("scope and authorize are asked for each slice", async () => {
    const { stage, accepted } = await submitted();
    atSlice(stage, 2, () => void stage.locked.add("ann"));
    const worker = stage.process(true);
    expect((await stage.ended(worker, accepted)).status).toBe("completed");
    expect(await stage.count(worker, "changed")).toBe(1_000);

    stage.locked.clear();
    // The request itself asks first.
    atSlice(stage, 2, () => void stage.refused.add("ann"));
    const { status, error, processedRows, results } = await stage.ended(worker, await updateAll(worker));
    expect([status, error?.code, processedRows]).toEqual(["failed", "FORBIDDEN", 1_000]);
    // Within a slice authorize is asked for the fields of each row.
    expect(results.every((result) => result.status === 403)).toBe(true);
    expect(await stage.count(worker, "changed")).toBe(1_000);
  });

  test("of a batch of actions are those of its run, asked for each slice", async () => {
    const stage = await open();
    const front = stage.process(false);
    stage.roles.set("ann", "admin");
    const items = [...(await stage.seed(front, "ann", 3)), ...(await stage.seed(front, "bob", 22))].map((id) => ({ id }));
    const submit = () => front.as("ann", "POST", "/notes/change", { items }, later);
    const accepted = await submit();
    stage.roles.set("ann", "member");
    const worker = stage.process(true);
    const { status, results } = await stage.ended(worker, accepted);
    expect([status, results.map((result) => result.status)]).toEqual(["completed", items.map((_, index) => (index < 3 ? 200 : 404))]);
    expect(await stage.count(worker, "changed")).toBe(3);

    stage.roles.set("ann", "admin");
    let slices = 0;
    stage.onScope = ({ principal, action, when }) => {
      if (principal.id !== "ann" || action !== "change" || when !== "before") return;
      slices += 1;
      if (slices === 2) stage.locked.add("ann");
    };
    const locked = await stage.ended(worker, await submit());
    expect(locked.results.map((result) => result.status)).toEqual(items.map((_, index) => (index < 10 ? 200 : index < 20 ? 403 : 404)));
    stage.locked.clear();

    const gone = await submit();
    stage.roles.delete("ann");
    const failed = await stage.ended(worker, gone);
    expect([failed.status, failed.error?.code]).toEqual(["failed", "FORBIDDEN"]);
  });

  test("the principal is renewed once a minute", async () => {
    const { stage, accepted } = await submitted();
    const clock = new FakeClock();
    atSlice(stage, 2, () => {
      clock.advance(60_000);
      stage.roles.delete("ann");
    });
    const worker = stage.process(true, { clock });
    const { status, error } = await stage.ended(worker, accepted);
    expect([status, error?.code]).toEqual(["failed", "FORBIDDEN"]);
    expect(stage.reloaded).toEqual(["ann", "ann"]);
    expect(await stage.count(worker, "changed")).toBe(2_000);
  });

  test("the principal is renewed at each claim", async () => {
    const { stage, accepted } = await submitted();
    const first = stage.process(true);
    await new Promise<void>((resolve, reject) => {
      atSlice(stage, 2, () => void first.close().then(resolve, reject));
      void first.start();
    });
    stage.roles.delete("ann");
    const second = stage.process(true);
    const { status, error } = await stage.ended(second, accepted);
    expect([status, error?.code]).toEqual(["failed", "FORBIDDEN"]);
    expect(stage.reloaded).toEqual(["ann", "ann"]);
    expect(await stage.count(second, "changed")).toBe(1_000);
  });

  test("without reload the claims of the request hold to the end", async () => {
    const { stage, accepted } = await submitted();
    stage.roles.delete("ann");
    const worker = stage.process(true, { principals: { reload: false } });
    expect((await stage.ended(worker, accepted)).processedRows).toBe(2_500);
    expect(stage.reloaded).toEqual([]);
  });

  test("another principal than the one that was asked for counts as removed", async () => {
    const { stage, accepted } = await submitted();
    stage.reload = () => ({ id: "root", claims: { role: "admin" } });
    const worker = stage.process(true);
    expect((await stage.ended(worker, accepted)).error?.code).toBe("FORBIDDEN");
    expect(stage.log.join()).toContain("principals.reload");
  });

  test("a principal with an empty tenant is a fault: the job changes nothing, and the log says why", async () => {
    const { stage, accepted } = await submitted();
    stage.reload = ({ id }) => ({ id, tenant: "" });
    const faults: unknown[] = [];
    const note = ({ err }: { readonly err?: unknown }) => void faults.push(err);
    const worker = stage.process(true, { logger: { error: note, warn: note, info() {}, debug() {} } });
    expect(accepted.status).toBe(202);
    await worker.start();
    await eventually(() => expect(faults.join()).toContain('that of "principals.reload" has the "tenant" "".'));
    expect(await stage.count(worker, "changed")).toBe(0);
  });

  test("each operation of a mixed batch has the rights of its time", async () => {
    const stage = await open();
    const clock = new FakeClock();
    const worker = stage.process(true, { clock });
    stage.roles.set("ann", "admin");
    const [id] = await stage.seed(worker, "bob", 1);
    stage.onScope = ({ principal }) => {
      if (principal.id !== "ann") return;
      clock.advance(60_000);
      stage.roles.set("ann", "member");
    };
    const read = { method: "GET", url: `/notes/${id}` };
    const { results } = await stage.ended(worker, await worker.as("ann", "POST", "/batch", { operations: [read, read] }, later));
    expect(results.map(({ status }) => status)).toEqual([200, 404]);
  });

  test("an import asks for each chunk, and can be resumed when the right is back", async () => {
    const stage = await open();
    stage.roles.set("ann", "member");
    const clock = new FakeClock();
    const worker = stage.process(true, { clock });
    let chunks = 0;
    stage.onScope = ({ action }) => {
      if (action !== "create") return;
      chunks += 1;
      if (chunks !== 2) return;
      clock.advance(60_000);
      stage.roles.delete("ann");
    };
    const file = ["text,owner", ...Array.from({ length: 2_500 }, () => "imported,ann")].join("\n");
    const accepted = await worker.as("ann", "POST", "/imports?collection=notes", file, csv);
    const { status, error } = await stage.ended(worker, accepted);
    expect([status, error?.code]).toEqual(["failed", "FORBIDDEN"]);
    expect(await stage.count(worker, "imported")).toBe(2_000);

    stage.roles.set("ann", "member");
    const resumed = await worker.as("ann", "POST", `${String(accepted.headers["location"])}/resume`);
    expect(resumed.status).toBe(202);
    expect((await stage.ended(worker, accepted)).status).toBe("completed");
    expect(await stage.count(worker, "imported")).toBe(2_500);
  });

  test("an import in one transaction asks before the transaction", async () => {
    const stage = await open();
    stage.roles.set("ann", "member");
    const front = stage.process(false);
    const accepted = await front.as("ann", "POST", "/imports?collection=notes&onError=stop", "text,owner\nimported,ann\n", csv);
    stage.roles.set("ann", "outsider");
    const worker = stage.process(true);
    const { status, error } = await stage.ended(worker, accepted);
    expect([status, error?.code]).toEqual(["failed", "IMPORT_REJECTED"]);
    expect(await stage.count(worker, "imported")).toBe(0);
  });
});

describeRights("a service with scopes and jobs", (open) => {
  test("warns once if it has not been said how principals are renewed", async () => {
    const stage = await open();
    stage.process(true, { principals: undefined });
    expect(stage.log).toEqual([expect.stringContaining('Give "principals" to createService')]);
    stage.process(true, { principals: { reload: false } });
    expect(stage.log).toHaveLength(1);
  });
});
