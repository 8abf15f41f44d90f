import { ByteView } from "../byteView.js";
import { unscannable } from "../rejection.js";

const headBytes = 8;
const container = 0x0f;
/** Real presentations are nested less deeply. */
const maxDepth = 64;
const maxRecords = 1_000_000;
const encryption = 0x2f14;
const macroInfo = 0x0400;

/** Records of content from other programs. */
const objects: ReadonlyMap<number, string> = new Map([
  [0x1011, "an embedded OLE object, or a VBA project"],
  [0x0fcc, "an embedded OLE object"],
  [0x0fce, "a linked OLE object"],
  [0x0fee, "an ActiveX control"],
]);

/** Macros and objects are records of the presentation. @throws {ProblemError} UNSCANNABLE @see MS-PPT §2.3.1 */
export function findMacrosInPresentation(stream: Buffer): string | undefined {
  const view = new ByteView(stream);
  const ends = [view.length];
  let at = 0;
  for (let records = 0; at + headBytes <= view.length; records++) {
    while (ends.length > 1 && at >= (ends.at(-1) ?? 0)) ends.pop();
    const type = view.uint16Little(at + 2);
    const end = at + headBytes + view.uint32Little(at + 4);
    if (end > (ends.at(-1) ?? 0) || ends.length > maxDepth || records > maxRecords) throw unscannable("The presentation is damaged.");
    if (type === encryption) throw unscannable("The presentation is encrypted.");
    if (objects.has(type)) return objects.get(type);
    if (type === macroInfo && view.uint32Little(at + headBytes + 4) !== 0) return "a VBA project";
    const isContainer = (view.uint16Little(at) & 0x0f) === container;
    if (isContainer) ends.push(end);
    at = isContainer ? at + headBytes : end;
  }
  return undefined;
}
