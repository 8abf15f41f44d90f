import { ByteView } from "../byteView.js";
import { unscannable } from "../rejection.js";

const beginOfPart = 0x0809;
const endOfPart = 0x000a;
const filePassword = 0x002f;
const sheet = 0x0085;
const macroSheet = 1;
const module = 6;
/** Before the first sheet are far fewer. */
const mostRecords = 1_000_000;

/** Macro sheets of Excel 4.0 stand among the others. @throws {ProblemError} UNSCANNABLE @see MS-XLS §2.4.28 */
export function judgeWorkbook(stream: Buffer): string | undefined {
  const view = new ByteView(stream);
  if (view.uint16Little(0) !== beginOfPart) throw unscannable("The workbook is of an Excel before version 5, or damaged.");
  let records = 0;
  for (let at = 0; at < view.length && records < mostRecords; at += 4 + view.uint16Little(at + 2)) {
    records += 1;
    const type = view.uint16Little(at);
    if (type === filePassword) throw unscannable("The workbook is encrypted.");
    const kind = view.uint8(at + 9);
    if (type === sheet && (kind === macroSheet || kind === module)) return "an Excel 4.0 macro sheet, or a module";
    if (type === endOfPart) return undefined;
  }
  throw unscannable("The workbook is damaged.");
}
