// @long

import { expect, test } from "vitest";
import { jobOf } from "../../../capabilities/batch/batchJobStage.js";
import { describeRights } from "./onStores.js";
import type { Role } from "./stage.js";

describeRights("the file of an export", (open) => {
  /** Ann has exported a collection; there are two notes of hers and one of bob. */
  async function exported(role: Role, { collection = "notes", whileQueued }: { collection?: string; whileQueued?: Role } = {}) {
    const stage = await open();
    const front = stage.process(false);
    stage.roles.set("ann", role);
    const ids = [...(await stage.seed(front, "ann", 2)), ...(await stage.seed(front, "bob", 1))];
    if (stage.hasParents) for (const noteId of ids) await front.as("root", "POST", "/sheets", { noteId });
    const accepted = await front.as("ann", "POST", "/exports", { collection, format: "ndjson" });
    if (whileQueued !== undefined) stage.roles.set("ann", whileQueued);
    const worker = stage.process(true);
    const { document } = await stage.ended(worker, accepted);
    const download = (who = "ann") => worker.as(who, "GET", `${jobOf(accepted)}/download`);
    const urlOf = async (who = "ann") => (await worker.as(who, "GET", jobOf(accepted))).json.result.downloadUrl as string | null;
    return { stage, worker, document, download, urlOf, ids };
  }

  const linesOf = ({ text }: { readonly text: string }) => text.trim().split("\n").length;
  const codeOf = ({ status, json }: { readonly status: number; readonly json: { readonly code: string } }) => [status, json.code];

  test("is made under the scope of the run", async () => {
    const { download } = await exported("admin", { whileQueued: "member" });
    expect(linesOf(await download())).toBe(2);
  });

  test("counts only rows in scope for its progress", async () => {
    const { document } = await exported("member");
    expect([document["processedRows"], document["totalRows"]]).toEqual([2, 2]);
  });

  test("is not made for a principal that does not exist any more", async () => {
    const stage = await open();
    const front = stage.process(false);
    stage.roles.set("ann", "member");
    const accepted = await front.as("ann", "POST", "/exports", { collection: "notes" });
    stage.roles.delete("ann");
    const { status, error } = await stage.ended(stage.process(true), accepted);
    expect([status, error?.code]).toEqual(["failed", "FORBIDDEN"]);
  });

  test("is 410 for a principal whose scope has another where, and 200 again with the old one", async () => {
    const { stage, download, urlOf } = await exported("admin");
    expect(linesOf(await download())).toBe(3);
    stage.roles.set("ann", "member");
    expect(codeOf(await download())).toEqual([410, "EXPORT_OUTDATED"]);
    expect(await urlOf()).toBeNull();
    stage.roles.set("ann", "admin");
    expect((await download()).status).toBe(200);
  });

  test("is 404 for a principal that may read no row", async () => {
    const { stage, download, urlOf } = await exported("member");
    stage.locked.add("ann");
    expect(codeOf(await download())).toEqual([404, "NOT_FOUND"]);
    expect(await urlOf()).toBeNull();
  });

  test("is 410 for a principal that may read fewer fields", async () => {
    const { stage, download } = await exported("member");
    stage.unrated.add("ann");
    expect(codeOf(await download())).toEqual([410, "EXPORT_OUTDATED"]);
  });

  test("is 403 for a principal that may not list the collection", async () => {
    const { stage, download } = await exported("member");
    stage.refused.add("ann");
    expect(codeOf(await download())).toEqual([403, "FORBIDDEN"]);
  });

  test("is 200 for a principal that may read all rows now, and for an administrator of jobs", async () => {
    const { stage, download } = await exported("member");
    stage.roles.set("ann", "admin");
    expect([(await download()).status, (await download("root")).status]).toEqual([200, 200]);
  });

  test("is 200 under a scope with a date that moves and values in any order", async () => {
    const { download } = await exported("recent");
    for (let round = 0; round < 5; round++) expect((await download()).status).toBe(200);
  });

  test("is a snapshot: a row that has left the scope stays in it", async () => {
    const { worker, download, ids } = await exported("member");
    await worker.as("root", "PATCH", `/notes/${ids[0]}`, { owner: "bob" });
    expect(linesOf(await download())).toBe(2);
  });

  test("is readable with a signed address for its time, whatever happens to the principal", async () => {
    const { stage, worker, urlOf } = await exported("member");
    const url = await urlOf();
    stage.roles.set("ann", "outsider");
    expect((await worker.as("root", "GET", String(url), undefined, { authorization: "" })).status).toBe(200);
  });

  test("is 410 if the scope of a parent has another where", async () => {
    const { stage, download } = await exported("admin", { collection: "notes" });
    if (!stage.hasParents) return;
    const { stage: related, download: sheets } = await exported("admin", { collection: "sheets" });
    expect(linesOf(await sheets())).toBe(3);
    related.roles.set("ann", "member");
    expect(codeOf(await sheets())).toEqual([410, "EXPORT_OUTDATED"]);
    expect((await download()).status).toBe(200);
  });
});
