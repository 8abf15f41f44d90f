import { ByteView } from "../byteView.js";
import { unscannable } from "../rejection.js";

const word97 = 0xa5ec;
const isEncrypted = 0x0100;
const isObfuscated = 0x8000;

/** Word keeps its macros in streams of their own, and before 1997 in this one. @throws {ProblemError} UNSCANNABLE @see MS-DOC §2.5.2 */
export function judgeWordDocument(stream: Buffer): undefined {
  const view = new ByteView(stream);
  if (view.uint16Little(0) !== word97) throw unscannable("The document is of a Word before 1997.");
  if ((view.uint16Little(10) & (isEncrypted | isObfuscated)) !== 0) throw unscannable("The document is encrypted.");
}
