#!/usr/bin/env bash
# Biome 2.6.8: `noRestrictedImports` reports `import type { Name } from "../other/index.js"` and not `import("../other/index.js").Name` in a type, which depends on the same
# file. In restwright: rules between folders hold for import statements (docs/decisions/project/one-table-of-rooms.md).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @biomejs/biome@2.6.8
cat > biome.json <<'JSON'
{
  "formatter": { "enabled": false },
  "linter": {
    "rules": {
      "recommended": false,
      "style": { "noRestrictedImports": { "level": "error", "options": { "patterns": [{ "group": ["../**"], "message": "no way out" }] } } }
    }
  }
}
JSON
mkdir room
echo 'import type { Name } from "../other/index.js"; export type A = Name;' > room/statement.ts
echo 'export type B = import("../other/index.js").Name;' > room/type.ts
count() { npx biome lint --colors=off "$1" 2>&1 | grep -c 'lint/style/noRestrictedImports' || true; }
statement=$(count room/statement.ts)
type=$(count room/type.ts)
echo "reports of Biome 2.6.8: import statement $statement, import in a type $type"
[[ $statement == 1 && $type == 0 ]]
