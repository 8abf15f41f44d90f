/** The name of one of many: `users` → `user`, `addresses` → `address`, `categories` → `category`. */
export function singular(name: string): string {
  if (/[^aeiou]ies$/i.test(name)) return `${name.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/i.test(name)) return name.slice(0, -2);
  return /[^s]s$/i.test(name) ? name.slice(0, -1) : name;
}
