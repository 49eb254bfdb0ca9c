# SPDX-License-Identifier: Apache-2.0
"""Many mutants in one design: with each number it is that mutant, with 0 the original, and what cannot be selected at
run time says why.
"""

import os
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from rvtrace.flow import simulators
from rvtrace.flow.faults import NOTES, written
from rvtrace.flow.faults.combine import PACKAGE_ENDS, Combined, combine
from rvtrace.flow.faults.rows import Edit, Fault, apply
from rvtrace.flow.faults.trees import Design, Node, Tree
from rvtrace.flow.faults.widths import Widths
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT

SAMPLE = 6  # mutants of each system whose place is compared in full

HEAD = """package p;
  localparam logic [3:0] Limit = 4'd3;
  function automatic logic [3:0] twice(input logic [3:0] x);
    twice = x + x;
  endfunction
  function automatic int size(input int x);
    size = x + 1;
  endfunction
endpackage
module child #(parameter int W = 4) (input logic clk_i, input logic [W-1:0] d_i, output logic [W-1:0] q_o);
  always_ff @(posedge clk_i) q_o <= d_i;
endmodule
"""


def change(find: str, replace: str, name: str = "m", file: str = "a.sv") -> Fault:
    """The change of the one place with that text."""
    return Fault(name, (Edit(file, find, replace),))


def made(body: str, find: str, replace: str) -> Combined:
    """One change in a module with this body."""
    text = f"""{HEAD}module dut #(parameter int Wide = 8) (
  input logic clk_i, rst_ni, input logic [3:0] a, b, input logic [7:0] w, input logic signed [3:0] s,
  output logic [7:0] y
);
{body}
endmodule
"""
    return combine({"a.sv": text}, [change(find, replace)])


def place(found: Combined) -> str:
    """The lines of the changed file that select."""
    text = _after_package(found.files["a.sv"])
    return "\n".join(line.strip() for line in text.splitlines() if "_mutant" in line)


SEL = "rvtrace_mutant::on_1 != 0 ?"


@pytest.mark.parametrize(
    ("body", "find", "replace", "expected"),
    [
        # the smallest operand whose width is that of what takes its place
        ("assign y = {a, b};", "{a, b}", "{a, a}", f"assign y = {{a, ({SEL} (a) : (b))}};"),
        ("assign y = {w[3:0], b};", "w[3:0]", "w[7:4]", f"assign y = {{({SEL} (w[7:4]) : (w[3:0])), b}};"),
        # of another width: what is around it
        ("assign y = a == b;", "a == b", "a == w", f"assign y = ({SEL} (a == w) : (a == b));"),
        ("assign y = {a, b};", "{a, b}", "{a, w}", f"assign y = ({SEL} ({{a, w}}) : ({{a, b}}));"),
        ("assign y = a;", "= a", "= w", f"assign y = ({SEL} (w) : (a));"),
        # of another sign, or where the width changes what is computed: nets of the width of the target
        (
            "assign y = s + s;", "s + s", "s + a",
            "wire [$bits(y)-1:0] zz_mutant_0_0 = s + s, zz_mutant_0_1 = s + a; assign y ="
            f" {SEL} zz_mutant_0_1 : zz_mutant_0_0;",
        ),
        (
            "assign y = (a + b) >> 1;", "a + b", "a + w",
            "wire [$bits(y)-1:0] zz_mutant_0_0 = (a + b) >> 1, zz_mutant_0_1 = (a + w) >> 1; assign y ="
            f" {SEL} zz_mutant_0_1 : zz_mutant_0_0;",
        ),
        # conditions are one bit whatever they are made of
        ("always_comb if (a) y = w;", "(a)", "(w)", f"always_comb if (({SEL} (!(!(w))) : (!(!(a))))) y = w;"),
        ("assign y = (a && b) ? w : 0;", "a && b", "a || b", f"assign y = ({SEL} ((a || b)) : ((a && b))) ? w : 0;"),
        # targets, events, indices of targets: the statement
        (
            "always_ff @(posedge clk_i) y[a] <= b;", "y[a]", "y[b]",
            "always_ff @(posedge clk_i) begin if (rvtrace_mutant::on_1 != 0) begin y[b] <= b; end else begin y[a] <= b;"
            " end end",
        ),
        ("always_comb y = w[a];", "w[a]", "w[b]", f"always_comb y = w[({SEL} (b) : (a))];"),
        (
            "always_comb for (int k = 0; k < 8; k++) y[k] = w[k];", "k < 8", "k < 7",
            "always_comb begin if (rvtrace_mutant::on_1 != 0) begin for (int k = 0; k < 7; k++) y[k] = w[k]; end else"
            " begin for (int k = 0; k < 8; k++) y[k] = w[k]; end end",
        ),
        ("assign y = p::twice(a);", "(a)", "(w)", f"assign y = p::twice(({SEL} (w) : (a)));"),
        (
            "logic [3:0] q; child c (.clk_i, .d_i(a), .q_o(q)); assign y = q;", ".d_i(a)", ".d_i(~a)",
            f"logic [3:0] q; child c (.clk_i, .d_i(({SEL} (~a) : (a))), .q_o(q)); assign y = q;",
        ),
        (
            "logic [3:0] q, d_i; child c (.clk_i, .d_i, .q_o(q)); assign d_i = a;", ".d_i,", ".d_i(b),",
            f"logic [3:0] q, d_i; child c (.clk_i, .d_i({SEL} (b) : (d_i)), .q_o(q)); assign d_i = a;",
        ),
    ],
)  # fmt: skip
def test_where_a_mutant_is_selected(body, find, replace, expected):
    found = place(made(body, find, replace))
    found = re.sub(r"zz_mutant_\d+_", "zz_mutant_0_", found)
    squeezed = (re.sub(r"[()\s]", "", text) for text in (found, expected))
    assert len(set(squeezed)) == 1, found


@pytest.mark.parametrize(
    ("body", "find", "replace", "reason"),
    [
        ("localparam int N = 3; assign y = N;", "N = 3", "N = 4", "a parameter is needed at elaboration"),
        ("logic [7:0] z; assign y = z;", "[7:0] z", "[6:0] z", "a width or a dimension is needed at elaboration"),
        ("if (Wide > 3) assign y = a;", "> 3", "> 9", "a generate condition is needed at elaboration"),
        ("for (genvar k = 0; k < 8; k++) assign y[k] = a[0];", "k < 8", "k < 7", "a generate loop"),
        ("child #(.W(4)) c (.clk_i, .d_i(a), .q_o(y));", ".W(4)", ".W(5)", "a parameter of an instance"),
        ("child c (.clk_i, .d_i(a), .q_o(y[3:0]));", "y[3:0]", "y[7:4]", "a connection to an output"),
        ("child c (.clk_i(clk_i), .d_i(a), .q_o(y));", "(clk_i)", "(rst_ni)", "a connection to an output, a clock"),
        ("assign y[3:0] = a;", "y[3:0]", "y[7:4]", "the target of a continuous assignment"),
        ("always_ff @(posedge clk_i) y <= a;", "posedge clk_i) y", "negedge clk_i) y", "the event control"),
        ("logic [7:0] z = 8'd1; assign y = z;", "8'd1", "8'd2", "a declaration"),
        ("localparam int N = p::size(3); assign y = N;", "N = p::size(3)", "N = p::size(2)", "a parameter"),
        ("assign y = a; // one", "one", "two", "it changes no code"),
        ("assign y = a;", "= a", "= (a", "the changed file has a syntax error"),
    ],
)  # fmt: skip
def test_what_needs_a_build_of_its_own(body, find, replace, reason):
    found = made(body, find, replace)
    assert reason in found.alone["m"] and not found.files and not found.number


def test_a_function_that_a_constant_calls_needs_a_build_of_its_own():
    text = f"{HEAD}module dut; localparam int N = p::size(2); endmodule\n"
    changes = [change("x + 1", "x + 2", "constant"), change("x + x", "x", "run")]
    found = combine({"a.sv": text}, changes)
    assert found.alone == {"constant": "the function size is called at elaboration"} and found.number == {"run": 1}
    # also through another function, in another file
    more = "package q; function automatic int more(input int x); more = p::twice(x); endfunction endpackage\n"
    other = "module other; logic [q::more(3)-1:0] z; endmodule\n"
    found = combine({"a.sv": text, "b.sv": more, "c.sv": other}, changes)
    assert set(found.alone) == {"constant", "run"}


def test_two_changes_of_one_name():
    text = f"{HEAD}module dut; endmodule\n"
    with pytest.raises(ValueError, match="two changes have the same name"):
        combine({"a.sv": text}, [change("x + 1", "x"), change("x + x", "x")])


def test_widths_are_the_same_only_if_they_are_with_all_parameters():
    text = """module m #(
  parameter int W = 8, parameter logic [3:0] P = 1
) (input logic [W-1:0] a, b, input logic [7:0] c);
  logic signed [W-1:0] s; logic [1:0][W-1:0] two; logic [W-1:0] mem [4]; int i;
  wire [99:0] x = {a, b, c, s, two[0], mem[1], a[3:0], i, a + b, {W{1'b0}}, {{(W-1){1'b0}}, 1'b1}, W'(c), P, a[2 +: W]};
endmodule
"""
    design = Design({"a.sv": text})
    concat = next(node for node in design.tree("a.sv").root.walk() if node.kind == "ConcatenationExpression")
    shapes = {part.text: Widths(design).of(part) for part in concat.children}
    wide = {name for name, shape in shapes.items() if shape.width == "W"}
    assert wide == {
        "a", "b", "s", "two[0]", "mem[1]", "a + b", "{W{1'b0}}", "{{(W-1){1'b0}}, 1'b1}", "W'(c)", "a[2 +: W]"
    }  # fmt: skip
    assert shapes["c"].width == "8" and shapes["a[3:0]"].width == shapes["P"].width == "4"
    assert {name for name, shape in shapes.items() if shape.sign == "s"} == {"s", "i"}


# --- With each number the combined text is that mutant ------------------------------------------------------------


def folded(node: Node, number: int, nets: dict[str, str]) -> str:
    """The code of a tree with the selections of one number made, without parentheses and blocks of one statement."""
    kind, children = node.kind, node.children
    chosen = _selection(node)
    if chosen is not None:
        yes, no = [c for c in children if c is not children[0]][:2]
        return folded(yes if chosen == number else no, number, nets)
    if kind == "ElseClause" and node.parent is not None and _selection(node.parent) is not None:
        return folded(children[0], number, nets)
    if kind == "ParenthesizedExpression":
        return folded(children[0], number, nets)
    if kind == "UnaryLogicalNotExpression" and _bare(children[0]).kind == kind:  # what makes a condition a bit
        return folded(_bare(children[0]).children[0], number, nets)
    if kind == "SequentialBlockStatement" and len(children) == 1 and children[0].is_statement:
        return folded(children[0], number, nets)
    if kind == "NetDeclaration" and "zz_mutant_" in node.text:
        for net in node.below("Declarator"):
            nets[net.tokens[0]] = folded(net.children[-1].children[0], number, nets)
        return ""
    if kind == "IdentifierName" and node.text in nets:
        return nets[node.text]
    if kind == "NamedPortConnection" and not children and "(" not in node.tokens:
        return f"[{kind} . {node.tokens[1]} ( ) [IdentifierName {node.tokens[1]} ]]"
    if kind in ("SimplePropertyExpr", "SimpleSequenceExpr", "ConditionalPattern", "ConditionalPredicate"):
        return folded(children[0], number, nets)
    parts = [folded(child, number, nets) for child in children]
    return f"[{kind} {' '.join(node.tokens)} {' '.join(part for part in parts if part)}]"


def _bare(node: Node) -> Node:
    return _bare(node.children[0]) if node.kind == "ParenthesizedExpression" else node


def _selection(node: Node) -> int | None:
    if node.kind not in ("ConditionalExpression", "ConditionalStatement"):
        return None
    found = re.fullmatch(r"rvtrace_mutant::on_(\d+)\s*!=\s*0", node.children[0].text)
    return int(found[1]) if found else None


@cache
def all_mutants() -> tuple[dict[str, str], dict[str, list[Fault]]]:
    """The RTL, and the mutants of each system."""
    files = {str(path.relative_to(ROOT / "rtl")): path.read_text() for path in (ROOT / "rtl").glob("*/*.sv")}
    changes = {
        path.parent.name: [mutant for mutant in written.load(path.parent.name).values() if not mutant.firmware]
        for path in sorted((ROOT / "tests").glob("*/mutants.toml"))
    }
    return files, changes


def _after_package(text: str) -> str:
    return text.partition(PACKAGE_ENDS)[2] or text


@pytest.mark.parametrize("system", sorted(all_mutants()[1]))
def test_each_number_is_its_mutant_and_none_is_the_original(system):
    files, changes = all_mutants()
    found = combine(files, changes[system])
    assert len(found.number) + len(found.alone) == len(changes[system])
    assert len(found.alone) <= len(changes[system]) / 5, found.alone
    trees = {file: Tree(_after_package(text)) for file, text in found.files.items()}
    for file, tree in trees.items():
        assert not tree.errors and folded(tree.root, 0, {}) == folded(Tree(files[file]).root, 0, {}), file
    within = [one for one in changes[system] if one.name in found.number]
    for one in random.Random(f"1:{system}").sample(within, min(SAMPLE, len(within))):
        for file, parts in one.places(files).items():
            mutated = apply(files[file], parts)
            number = found.number[one.name]
            assert folded(trees[file].root, number, {}) == folded(Tree(mutated).root, 0, {}), (one.name, file)


# --- In simulation ---------------------------------------------------------------------------------------------------

DUT = """module dut (
  input logic clk, input logic rst_n, input logic [3:0] a, b, input logic [7:0] w, input logic signed [3:0] s, t,
  output logic [9:0] y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11
);
  function automatic logic [3:0] f(input logic [3:0] x, input logic [3:0] z);
    logic [3:0] sum;
    sum = x + z;
    if (sum[0]) f = sum; else f = ~sum;
  endfunction
  assign y0 = a + b;
  assign y1 = (a + b) >> 1;
  assign y2 = {a, b + a};
  assign y3 = (a == b) ? s : t;
  assign y4 = s + t;
  assign y5 = {w[a[2:0]], 1'b0, (s < t)};
  assign y6 = s >>> 1;
  assign y7 = (a + b) ? w : 1;
  assign y8 = f(a, b) + -1;
  always_comb begin
    y9 = '0;
    for (int k = 0; k < 8; k++) y9[k] = w[k] ^ a[k % 4];
    case (a[1:0])
      2'd0, 2'd1: y9[9] = b[0];
      default: y9[9] = 1'b1;
    endcase
  end
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) y10 <= 10'd7;
    else if (a[0] && b[1]) y10 <= y10 + 10'd1;
    else begin
      y10 <= y10 - {6'd0, b};
    end
  end
  assign y11 = {2{a & b}} | w;
endmodule
"""
CHANGES = (
    ("y0 = a + b;", "y0 = a - b;"), ("y0 = a + b;", "y0 = w;"), ("y0 = a + b;", "y0 = a + s;"),
    ("(a + b) >> 1", "(a + w) >> 1"), ("(a + b) >> 1", "(a + s) >> 1"), ("(a + b) >> 1", "(a - b) >> 1"),
    ("(a + b) >> 1", "(a + b) >> 2"), ("{a, b + a}", "{a, w + a}"), ("{a, b + a}", "{b + a, a}"),
    ("{a, b + a}", "{a, b}"), ("(a == b) ? s : t", "(a == b) ? s : a"), ("(a == b) ? s : t", "(a == w) ? s : t"),
    ("(a == b) ? s : t", "(a != b) ? s : t"), ("(a == b) ? s : t", "(a == b) ? s : '1"),
    ("y4 = s + t", "y4 = s - t"), ("y4 = s + t", "y4 = s + b"), ("y4 = s + t", "y4 = s + 1"),
    ("w[a[2:0]]", "w[a[3:1]]"), ("w[a[2:0]]", "w[a]"), ("(s < t)", "(s < b)"), ("(s < t)", "(s <= t)"),
    ("s >>> 1", "t >>> 1"), ("s >>> 1", "a >>> 1"), ("s >>> 1", "s >>> b"), ("(a + b) ? w : 1", "(w) ? w : 1"),
    ("(a + b) ? w : 1", "(a + b) ? w : '1"), ("(a + b) ? w : 1", "(a + b) ? w : -1"),
    ("f(a, b) + -1", "f(b, b) + -1"), ("f(a, b) + -1", "f(a, w) + -1"), ("f(a, b) + -1", "f(a, b) + 1"),
    ("sum = x + z;", "sum = x;"), ("sum = x + z;", "sum = x - z;"), ("f = sum; else f = ~sum;", "f = ~sum;"),
    ("if (sum[0])", "if (sum)"), ("k < 8", "k < 7"), ("a[k % 4]", "b[k % 4]"), ("a[k % 4]", "a[k % 3]"),
    ("w[k] ^", "w[k] |"), ("2'd0, 2'd1:", "2'd0:"), ("default: y9[9] = 1'b1;", "default: y9[8] = 1'b1;"),
    ("10'd7", "10'd8"), ("a[0] && b[1]", "a[0] || b[1]"), ("a[0] && b[1]", "a && b"), ("a[0] && b[1]", "a[0]"),
    ("a[0] && b[1]", "1'b1 && b[1]"), ("y10 + 10'd1", "y10 + 10'd2"), ("y10 <= y10 - {6'd0, b};", ""),
    ("y10 <= y10 - {6'd0, b};", "y10 <= y10 - {6'd0, b}; if (a[3]) y10 <= '0;"), ("{2{a & b}}", "{2{a | b}}"),
    ("{2{a & b}} | w", "{3{a & b}} | w"), ("{2{a & b}} | w", "{2{a & b}} | s"),
)  # fmt: skip


def bench(copies: list[str]) -> str:
    """Compares the combined design with a copy of each mutant, for the same random inputs."""
    ports = ".clk, .rst_n, .a, .b, .w, .s, .t"
    nets = "\n".join(f"  wire [9:0] {', '.join(f'y{k}_{n}' for k in range(12))};" for n in ["c", *range(len(copies))])
    units = "\n".join(
        f"  {name} u_{n} ({ports}, {', '.join(f'.y{k}(y{k}_{n})' for k in range(12))});"
        for n, name in [("c", "dut"), *enumerate(copies)]
    )
    together = {n: "{" + ", ".join(f"y{k}_{n}" for k in range(12)) + "}" for n in ["c", *range(len(copies))]}
    whole = f"  wire [119:0] all_c = {together['c']};\n  wire [119:0] all_m [0:{len(copies) - 1}];\n"
    whole += "\n".join(f"  assign all_m[{n}] = {together[n]};" for n in range(len(copies)))
    return f"""module top;
  logic clk = 0, rst_n;
  logic [3:0] a, b;
  logic [7:0] w;
  logic signed [3:0] s, t;
{nets}
{units}
{whole}
  int differs = 0, sel = 0;
  initial begin
    if (!$value$plusargs("number=%d", sel)) sel = 0;
    for (int k = 0; k < 300; k++) begin
      {{a, b, w, s, t}} = $random;
      rst_n = (k % 50) > 1;
      #1 if (all_c !== all_m[sel]) $display("%h instead of %h", all_c, all_m[sel]);
      if (all_c !== all_m[0]) differs = 1;
      clk = 1; #1 clk = 0; #1;
    end
    $display("differs %0d", differs);
    $finish;
  end
endmodule
"""


def _copies() -> Iterator[tuple[str, str]]:
    """The name and text of the original and of each mutant, as modules of their own."""
    yield "dut_0", DUT
    for n, (find, replace) in enumerate(CHANGES, 1):
        yield f"dut_{n}", DUT.replace(find, replace)


def test_a_simulation_is_the_selected_mutant_in_every_cycle(tmp_path):
    """Widths, signs and nesting: 50 mutants, of which several are in each place, against the same as modules."""
    try:
        icarus = simulators.find("icarus")
    except simulators.SimulatorError as error:
        pytest.skip(str(error))
    changes = [change(find, replace, f"m{n}", "dut.sv") for n, (find, replace) in enumerate(CHANGES, 1)]
    found = combine({"dut.sv": DUT}, changes)
    assert not found.alone and found.number == {f"m{n}": n for n in range(1, len(CHANGES) + 1)}
    copies = list(_copies())
    (tmp_path / "dut.sv").write_text(found.files["dut.sv"])
    (tmp_path / "copies.sv").write_text("".join(text.replace("module dut", f"module {n}", 1) for n, text in copies))
    (tmp_path / "top.sv").write_text(bench([name for name, _ in copies]))
    command = [*icarus.command, "-g2012", "-s", "top", "-o", "sim.vvp", "dut.sv", "copies.sv", "top.sv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    for n in range(len(copies)):
        command = ["vvp", "-n", "sim.vvp", f"+mutants={1 << n if n else 0:x}", f"+number={n}"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.stdout == f"differs {int(n > 0)}\n", (n and CHANGES[n - 1], done.stdout + done.stderr)


def test_the_plusarg_selects(tmp_path):
    """Without it, or with 0, the original runs; before time 0 is over the number has its effect."""
    try:
        icarus = simulators.find("icarus")
    except simulators.SimulatorError as error:
        pytest.skip(str(error))
    text = """module top;
  logic early;
  wire late = 1'b0;
  initial early = 1'b0;
  initial begin #0 $display("%b%b", early, late); end
endmodule
"""
    find, both = "initial early = 1'b0", change("late = 1'b0", "late = 1'b1", "late", "top.sv")
    early = change(find, find.replace("'b0", "'b1"), "early", "top.sv")
    found = combine({"top.sv": text}, [early, both])
    (tmp_path / "top.sv").write_text(found.files["top.sv"])
    subprocess.run([*icarus.command, "-g2012", "-o", "sim.vvp", "top.sv"], cwd=tmp_path, check=True, timeout=60)
    said = [
        subprocess.run(["vvp", "-n", "sim.vvp", *words], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        for words in ([], ["+mutants=0"], ["+mutants=2"], ["+mutants=4"])
    ]
    assert [one.stdout.strip() for one in said] == ["00", "00", "10", "01"]


def test_every_system_has_mutants():
    assert set(all_mutants()[1]) == {*systems.NAMES, *systems.PARTS}


def test_several_can_be_selected_together(tmp_path):
    """Two in one expression, of which each and both have their effect."""
    try:
        icarus = simulators.find("icarus")
    except simulators.SimulatorError as error:
        pytest.skip(str(error))
    text = "module top;\n  wire a = 1'b0;\n  wire b = 1'b0;\n  initial #1 $display(\"%b%b\", a, b);\nendmodule\n"
    changes = [change("a = 1'b0", "a = 1'b1", "first", "top.sv"), change("b = 1'b0", "b = 1'b1", "second", "top.sv")]
    found = combine({"top.sv": text}, changes)
    assert found.number == {"first": 1, "second": 2}
    (tmp_path / "top.sv").write_text(found.files["top.sv"])
    subprocess.run([*icarus.command, "-g2012", "-o", "sim.vvp", "top.sv"], cwd=tmp_path, check=True, timeout=60)
    said = [
        subprocess.run(["vvp", "-n", "sim.vvp", *words], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        for words in ([], ["+mutants=2"], ["+mutants=4"], ["+mutants=6"])
    ]
    assert [one.stdout.strip() for one in said] == ["00", "10", "01", "11"]


def test_a_run_notes_the_faults_that_it_could_show(tmp_path):
    """Not those whose expression has no other value, nor whose statement is not reached; and its own values stay."""
    try:
        verilator = simulators.find("verilator")
    except simulators.SimulatorError as error:
        pytest.skip(str(error))
    text = """module top;
  logic [3:0] a, b, sum;
  logic [4:0] wide;
  assign sum = a + b;
  assign wide = a + 4'd1 + b;
  wire alike = (a == 4'd3) && (b != 4'd0);
  initial begin
    a = 4'd3;
    b = 4'd2;
    if (b == 4'd9) a = 4'd0;
    else a = 4'd3;
    #1 $display("%0d %0d %b", sum, wide, alike);
    $finish;
  end
endmodule
"""
    shown = {"minus": ("sum = a + b", "sum = a - b"), "carry": ("a + 4'd1 + b", "a + 4'd2 + b"),
             "else": ("else a = 4'd3;", "else begin a = 4'd3; b = 4'd2; end")}  # fmt: skip
    hidden = {"same": ("b != 4'd0", "b > 4'd0"), "then": ("a = 4'd0;", "begin a = 4'd1; b = 4'd1; end")}
    changes = [change(*texts, name, "top.sv") for name, texts in (shown | hidden).items()]
    found = combine({"top.sv": text}, changes, notes=True)
    assert not found.alone
    (tmp_path / "top.sv").write_text(found.files["top.sv"])
    words = [
        "--binary",
        "--timing",
        "-CFLAGS",
        "-std=c++20",
        "-Wno-fatal",
        "-Wno-lint",
        "--Mdir",
        "obj",
        "-o",
        "sim",
        "top.sv",
    ]
    with_root = os.environ | dict(verilator.env)
    make = [word for pair in verilator.make for word in ("-MAKEFLAGS", pair)]
    done = subprocess.run(
        [*verilator.command, *words, *make], cwd=tmp_path, env=with_root, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    environment = {**os.environ, NOTES: str(tmp_path / "noted")}
    for _ in range(2):
        said = subprocess.run([tmp_path / "obj" / "sim"], env=environment, capture_output=True, text=True, timeout=60)
        assert said.stdout.startswith("5 6 1\n")
    numbers = [int(line) for line in (tmp_path / "noted").read_text().split()]
    assert Counter(numbers) == {found.number[name]: 2 for name in shown}, "once in each process"
