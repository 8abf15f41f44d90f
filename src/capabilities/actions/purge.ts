import { type Caller, callContext, runCall } from "../../engine/calls/caller.js";
import type { CallId } from "../../engine/calls/collectionCalls.js";
import { idText } from "../../engine/calls/reads.js";
import { writeCall } from "../../engine/operation/context.js";
import { prepareWrite } from "../../engine/operation/rules/prepareWrite.js";
import { commitWrite } from "../../engine/operation/write/commit.js";
import { noSuchRow, parseId } from "../../engine/resource/read/identify.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import type { Resource } from "../../engine/resource/resource.js";
import { refusal, writeConflict } from "../../engine/resource/write/conflict.js";
import type { RemoveCall } from "../../ground/storage/completed/rowsOver.js";

/** `asSystem().users.purge(7)`: removes a row for good, whether or not it was deleted before. Events and hooks are those of a removal. */
export function purgeCall(caller: Caller, { name }: Resource) {
  return (id: CallId): Promise<void> =>
    runCall(caller, async () => {
      // The collections are made when the first call needs them.
      const { resource } = caller.resources.get(name) as LinkedResource;
      const context = await callContext(caller, { method: "DELETE", action: "remove", collection: name });
      const key = await parseId(resource, idText(resource, id));
      await prepareWrite(context, resource, "remove");
      const call = { ...writeCall(context), deleted: "with" } as const;
      const row = await context.environment.collection(name).get(key, call);
      if (row === undefined) throw noSuchRow(resource, key);
      const removal: RemoveCall = { ...call, ifVersion: row._version, before: row };
      const { outcome } = await commitWrite(
        context,
        resource.model,
        { values: undefined, run: (rows) => rows.remove(key, removal) },
        () => undefined,
      );
      if (outcome.ok) return;
      throw outcome.why === "missing" ? noSuchRow(resource, key) : (refusal(outcome) ?? writeConflict(1));
    });
}
