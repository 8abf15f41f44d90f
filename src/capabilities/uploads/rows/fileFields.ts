import type { Host } from "../../../engine/capability/host.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import type { FileType } from "./file.js";

/** A field that holds the id of a file. */
export interface FileField {
  readonly name: string;
  readonly type: FileType;
}

/** The fields with files of the collections that have some. */
export function fileFieldsOf(resources: Host["resources"]): ReadonlyMap<string, readonly FileField[]> {
  const fields = [...resources.values()].map((linked) => [linked.name, fieldsOf(linked)] as const);
  return new Map(fields.filter(([, own]) => own.length > 0));
}

function fieldsOf({ fields }: LinkedResource): readonly FileField[] {
  return [...fields.values()].flatMap(({ name, scalar }) => (scalar !== undefined && "types" in scalar ? [{ name, type: scalar as FileType }] : []));
}
