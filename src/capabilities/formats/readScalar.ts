import type { FieldModel } from "../../language/schema/field.js";
import { compileScalar, type ReadText, takesEmptyText } from "../../language/schema/scalarText.js";

const readers = new WeakMap<FieldModel, ReadText>();

/** The JSON value of a text for a field, by the field's type; a text that is none stays text, so that the schema reports it. */
export function readScalar(field: FieldModel | undefined, text: string): unknown {
  if (field === undefined) return text;
  const read = readers.get(field) ?? (field.kind === "union" ? unionReader(field) : compileScalar(field));
  readers.set(field, read);
  return read(text);
}

/** What stands for a value that is empty text, and cannot be: null if the field is nullable, nothing if it can be missing. */
export function emptyValue(field: FieldModel | undefined): "" | null | undefined {
  if (field === undefined || takesEmptyText(field)) return "";
  if (field.nullable) return null;
  return field.optional || field.hasDefault ? undefined : "";
}

/** The alternative whose value is written exactly like the text: `7` is a number, but `007` is not. */
function unionReader({ members = [] }: FieldModel): ReadText {
  const read = members.filter(({ kind }) => kind !== "text" && kind !== "uuid").map((member) => compileScalar(member));
  const takesText = members.some(({ kind }) => kind === "text");
  return (text) => {
    const values = read.map((each) => each(text));
    const same = values.find((value) => value !== text && String(value) === text);
    return same ?? (takesText ? text : (values.find((value) => value !== text) ?? text));
  };
}

/** The alternative of a union that is an array or an object; other fields as they are. */
export function structured(field: FieldModel | undefined, kind: "array" | "object"): FieldModel | undefined {
  if (field?.kind !== "union") return field;
  const fits = ({ kind: own }: FieldModel) => own === kind || (kind === "object" && own === "record");
  return field.members?.find(fits);
}

/** The model of a member of an object or a record. */
export function memberOf(field: FieldModel | undefined, name: string): FieldModel | undefined {
  return field?.children?.get(name) ?? (field?.kind === "record" ? field.element : undefined);
}
