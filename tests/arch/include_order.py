#!/usr/bin/python3
"""A module includes only what stands before it: the table in CMakeLists.txt is the order, and it holds for every #include.

Also: test programs of a module see that module's world only, and no header is included by a path that leaves the module folders."""
import re

from project import CODE_FOLDERS, ROOT, files, finish, name, read

MODULE = re.compile(r"^mcpscan_module\((\w+)\s+FOLDERS\s+([^)]*?)(?:\s+DEPENDS\s+([^)]*?))?(?:\s+USES\s+[^)]*)?\)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
# What an include path begins with, for each folder that is on the include path (cmake/collect.cmake).
SEARCHED = ("src", "parsers", "rules", "")


def modules():
    """Module name -> (folders, all modules it may include)."""
    table, reach = {}, {}
    for module, folders, depends in MODULE.findall(read(ROOT / "CMakeLists.txt")):
        allowed = {module}
        for other in depends.split():
            assert other in reach, f"{module} depends on {other}, which is not declared before it"
            allowed |= reach[other]
        reach[module] = allowed
        table[module] = folders.split()
    return table, reach


def module_of(path, table):
    """The module whose folder holds the path (relative to the root); generated registries are headers of their module."""
    best = max(((f, m) for m, fs in table.items() for f in fs if path == f or path.startswith(f + "/")), key=lambda x: len(x[0]), default=None)
    return best[1] if best else None


def target_of(include):
    """The project file that an include path means, or None."""
    for folder in SEARCHED:
        candidate = ROOT / folder / include
        if candidate.is_file():
            return name(candidate)
    return None


def check(path, owner, reach, table):
    for match in INCLUDE.finditer(read(path)):
        target = target_of(match.group(1))
        line = read(path).count("\n", 0, match.start(1)) + 1
        if target is None:
            beside = (path.parent / match.group(1)).is_file()
            yield f'{name(path)}:{line}: "{match.group(1)}" ' + ("is included by a path relative to its own folder" if beside else "does not exist")
            continue
        other = module_of(target, table)
        if other and other not in reach[owner]:
            yield f"{name(path)}:{line}: {owner} includes {target} of {other}; it may include {', '.join(sorted(reach[owner]))}"


def main():
    table, reach = modules()
    problems, checked = [], 0
    for path in files(*CODE_FOLDERS, suffixes={".cc", ".h"}):
        owner = module_of(name(path), table)
        if name(path) == "src/main.cc":
            owner = "cli"
        if owner is None:
            problems.append(f"{name(path)}: in no module of CMakeLists.txt")
            continue
        checked += 1
        problems += check(path, owner, reach, table)
    finish(problems, checked, "source files")


main()
