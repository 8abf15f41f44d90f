import type { Node } from "typescript/unstable/ast";
import { isClassDeclaration, isFunctionDeclaration, isPrivateIdentifier, isVariableDeclaration } from "typescript/unstable/ast/is";
import type { Symbol as Declared } from "typescript/unstable/sync";
import type { Declarations } from "../declarations/program.js";

/** What a reader of a declaration needs to know of it: a function without its body, a class without what is private, a type as it is. */
export function declarationText({ checker, project }: Declarations, symbol: Declared): string {
  const nodes = symbol.declarations.flatMap((handle) => handle.resolve(project) ?? []);
  const overloads = nodes.filter((node) => isFunctionDeclaration(node) && node.body === undefined);
  return (overloads.length > 0 ? overloads : nodes)
    .map((node) => {
      if (isFunctionDeclaration(node)) return `${withoutBody(node)};`;
      if (isClassDeclaration(node)) return classText(node);
      if (!isVariableDeclaration(node)) return node.getText();
      const type = checker.getTypeOfSymbol(symbol);
      return `const ${symbol.name}: ${type === undefined ? "unknown" : checker.typeToString(type)};`;
    })
    .map((text) => text.replace(/^export /, ""))
    .join("\n");
}

/** The text of a declaration up to its body. */
function withoutBody(node: Node & { readonly body?: Node | undefined }): string {
  const text = node.getText();
  return node.body === undefined ? text.replace(/;$/, "") : text.slice(0, -node.body.getText().length).trimEnd();
}

function classText(node: Node & { readonly members: readonly Node[] }): string {
  const [first] = node.members;
  const header = first === undefined ? node.getText() : node.getSourceFile().text.slice(node.getStart(), first.getFullStart()).trimEnd();
  const members = node.members.filter((member) => !isHidden(member)).map((member) => `  ${commentOf(member)}${withoutBody(member)};`);
  return first === undefined ? header : `${header}\n${members.join("\n")}\n}`;
}

function isHidden(member: Node & { readonly name?: Node | undefined }): boolean {
  return (member.name !== undefined && isPrivateIdentifier(member.name)) || /^(?:private|static \{)/.test(member.getText());
}

/** The TSDoc of a member, which its text does not have. */
function commentOf(member: Node): string {
  const between = member.getSourceFile().text.slice(member.getFullStart(), member.getStart());
  return between.trim() === "" ? "" : `${between.trim()}\n  `;
}
