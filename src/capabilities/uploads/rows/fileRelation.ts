import { z } from "zod";
import type { Context } from "../../../engine/operation/context.js";
import type { Offer } from "../../../engine/operation/offers.js";
import type { RowFile } from "../../../engine/resource/callTypes/rowFile.js";
import { defineResource } from "../../../engine/resource/define/define.js";
import { foreignKeyOf } from "../../../engine/resource/relations/foreignKey.js";
import type { LinkedRelation, LinkedResource } from "../../../engine/resource/relations/link.js";
import type { ResourceField } from "../../../engine/resource/resource.js";
import type { Row } from "../../../ground/storage/collection.js";

/** Which field of which collection holds a file. */
export interface FilePlace {
  readonly collection: string;
  readonly field: string;
}

/** What `uploads()` offers to fields that hold files. */
export interface OfferedFiles {
  /** The files with these ids that a place holds, as rows. */
  rowsAt(place: FilePlace, ids: readonly string[], context: Context): Promise<Row[]>;
}

export const offeredFiles: Offer<OfferedFiles> = { name: "uploads" };

/** The relation that shows the file of a field, and has its name. */
export function relateFile(collection: string, field: ResourceField): LinkedRelation {
  const { name } = field;
  const rows = (context: Context) => ({
    getMany: async (ids: readonly unknown[]) =>
      (await context.environment.offers.get(offeredFiles)?.rowsAt({ collection, field: name }, ids.map(String), context)) ?? [],
  });
  return { name, kind: "belongsTo", many: false, key: field, needs: [name], target: files(), rows, ...foreignKeyOf(name, ["id"]) };
}

let made: LinkedResource | undefined;

/** The files as a collection that relations lead to. No path serves it, and no store keeps it. */
function files(): LinkedResource {
  if (made === undefined) {
    const schema = z.object({
      id: z.string(),
      filename: z.string(),
      contentType: z.string(),
      size: z.int().min(0),
      sha256: z.string(),
      image: z.object({ width: z.int(), height: z.int() }).optional(),
      createdAt: z.date(),
      url: z.string(),
      signedUrl: z.string().optional(),
    }) satisfies z.ZodType<Omit<RowFile, "createdAt"> & { readonly createdAt: Date }>;
    const resource = defineResource("files", { schema, operations: ["read"] });
    const { name, fields, views, queryTable: table } = resource;
    made = { name, resource, fields, views, relations: new Map(), table } as LinkedResource;
  }
  return made;
}
