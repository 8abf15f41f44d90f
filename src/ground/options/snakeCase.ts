/**
 * A name in snake case: a break stands before each capital that follows a small letter or digit, or that begins a word after capitals. Digits stay attached.
 *
 * @example
 * snakeCase("HTTPServerId"); // "http_server_id"
 */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1_$2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1_$2")
    .toLowerCase();
}
