"""Reports are complete files of a known form, or none."""

import builtins
import hashlib
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest
from report.synthetic import COULOMB, VISCOUS, arm, comparison_of, provenance, samples_of
from ruamel.yaml import YAML

from robot_dynamics_ros.comparison import Finding, FrictionFit
from robot_dynamics_ros.core import ParameterError, RobotDynamicsError
from robot_dynamics_ros.report import ENDINGS, write_report
from robot_dynamics_ros.report import provenance as provenance_of
from robot_dynamics_ros.report.html import whole_page
from robot_dynamics_ros.report.next_parameters import friction_parameters


def test_an_unknown_ending_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(ParameterError, match=r'report\.docx.*\.html, \.pdf, \.png'):
        write_report(arm(1), provenance(), tmp_path / 'report.docx')
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize('ending', ENDINGS)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    tmp_path, monkeypatch, ending
):
    package = 'plotly' if ending == '.html' else 'matplotlib'
    real = builtins.__import__

    def without(name, *others):
        if name.partition('.')[0] in (package, '_not_loaded'):
            raise ModuleNotFoundError(f'No module named {package!r}', name=package)
        return real(name, *others)

    forget(monkeypatch, 'robot_dynamics_ros.report.html', 'robot_dynamics_ros.report.printed')
    monkeypatch.setattr(builtins, '__import__', without)
    with pytest.raises(RobotDynamicsError, match=rf'{package}: pip install .*\[recordings\]'):
        write_report(arm(1), provenance(), tmp_path / f'report{ending}')
    assert list(tmp_path.iterdir()) == []


def forget(monkeypatch, *packages):
    """Let the modules of packages be imported again."""
    import sys

    for name in list(sys.modules):
        if name.startswith(packages):
            monkeypatch.delitem(sys.modules, name)


def test_after_an_error_the_file_is_as_before(tmp_path, monkeypatch):
    path = tmp_path / 'report.html'
    path.write_text('before')

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(whole_page, 'figures_json', interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_report(arm(1), provenance(), path)
    assert path.read_text() == 'before'
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize('joints', [7, 32])
def test_a_page_of_as_many_samples_as_there_can_be_is_below_15_megabytes(tmp_path, joints):
    random = np.random.default_rng(0)
    samples = samples_of([f'joint_{i}' for i in range(joints)], 16_384, 4.6)
    samples.measured[:] += random.standard_normal(samples.measured.shape)
    path = tmp_path / 'report.html'
    write_report(comparison_of(samples), provenance(), path)
    assert path.stat().st_size < 15_000_000


def test_the_page_holds_verdicts_findings_files_and_the_command(tmp_path):
    path = tmp_path / 'report.html'
    write_report(arm(2), provenance(), path)
    text = path.read_text(encoding='utf-8')
    body = text[text.index('<body') : text.index('<script type')]
    first_plot = body.index('class="plot"')
    assert body.index('id="verdict"') < first_plot  # the verdict comes first
    assert 'The residual is friction that the model does not have' in body
    for file in provenance().files:
        assert file.sha256 in body
    assert 'robot_dynamics compare recording.mcap' in body
    assert 'numpy 2.4.6' in body


def test_the_page_holds_what_is_left_after_the_fit_and_the_friction_to_set(tmp_path):
    path = tmp_path / 'report.html'
    write_report(arm(3), provenance(), path)
    text = path.read_text(encoding='utf-8')
    body = text[text.index('<body') : text.index('<script type')]
    assert 'after the fit' in body
    assert body.count('0.15\N{NO-BREAK SPACE}N\N{NO-BREAK SPACE}m</td>') == 3
    said = YAML(typ='safe').load(body.partition('<pre><code>')[2].partition('</code>')[0])
    assert len(said['joints']) == 3
    for values in said['joints'].values():
        assert values == {'viscous': VISCOUS, 'coulomb': COULOMB}


def test_friction_that_is_not_missing_is_no_parameter(tmp_path):
    comparison = arm(2, findings=[])
    assert friction_parameters(comparison) == ()
    write_report(comparison, provenance(), tmp_path / 'report.html')
    assert 'coulomb: ' not in (tmp_path / 'report.html').read_text(encoding='utf-8')


def test_parameters_are_doubles_and_0_where_nothing_was_fitted():
    comparison = arm(2)
    first, second = comparison.joints
    joints = {
        first: replace(comparison.joints[first], friction=FrictionFit(2.0, 0.123456, 1.0)),
        second: replace(comparison.joints[second], friction=None),
    }
    comparison = replace(comparison, joints=joints)
    said = YAML(typ='safe').load('\n'.join(friction_parameters(comparison)))['joints']
    assert said[first] == {'viscous': 2.0, 'coulomb': 0.1235}
    assert said[second] == {'viscous': 0.0, 'coulomb': 0.0}
    assert all(type(value) is float for value in said[second].values())


def test_parameters_leave_out_efforts_that_are_not_the_torque():
    comparison = arm(3)
    first, second, last = comparison.joints
    findings = [*comparison.findings, Finding('factor', (first,), 1.3, '')]
    findings.append(Finding('unexplained', (second,), 0.6, ''))
    lines = friction_parameters(replace(comparison, findings=findings))
    said = YAML(typ='safe').load('\n'.join(lines))['joints']
    assert [values['coulomb'] for values in said.values()] == [0.0, 0.0, COULOMB]
    findings.append(Finding('not_judged', (last,), None, ''))
    assert friction_parameters(replace(comparison, findings=findings)) == ()


def test_a_document_has_a_page_for_each_joint(tmp_path):
    path = tmp_path / 'report.pdf'
    write_report(arm(2), provenance(), path)
    content = path.read_bytes()
    assert content.startswith(b'%PDF')
    assert len(re.findall(rb'/Type /Page\b', content)) == 1 + 2 + 1


def test_a_picture_has_a_row_for_each_joint(tmp_path):
    sizes = []
    for joints in (1, 3):
        path = tmp_path / 'report.png'
        write_report(arm(joints), provenance(), path)
        sizes.append(png_size(path.read_bytes()))
    (width, one), (same, three) = sizes
    assert width == same
    assert three == one + 2 * 215


def test_no_heading_stands_alone_at_the_end_of_a_page():
    printed = pytest.importorskip('robot_dynamics_ros.report.printed.pages')
    plain, heading = printed.Line('text', printed.PLAIN), printed.Line('heading', printed.STRONG)
    for before in range(40, 60):
        lines = [plain] * before + [heading, plain]
        for page in printed.text_pages(lines):
            assert page.texts[-1].get_text() == 'text'


@pytest.mark.parametrize('form', ['document', 'overview'])
def test_printed_reports_hold_what_is_left_after_the_fit(tmp_path, monkeypatch, form):
    texts = []
    module = {'document': 'pages', 'overview': 'overview'}[form]
    printed = pytest.importorskip(f'robot_dynamics_ros.report.printed.{module}')
    put = printed.put

    def noted(canvas, x, y, text, **look):
        texts.append(text)
        put(canvas, x, y, text, **look)

    monkeypatch.setattr(printed, 'put', noted)
    ending = {'document': '.pdf', 'overview': '.png'}[form]
    write_report(arm(2), provenance(), tmp_path / f'report{ending}')
    said = ' '.join(texts).replace('\N{NO-BREAK SPACE}', ' ')
    assert said.count(' 0.15 N m.') == 2


def png_size(content):
    """Width and height; the checksum of the header must be right."""
    assert content.startswith(b'\x89PNG\r\n\x1a\n')
    header = content[12:29]
    assert zlib.crc32(header) == int.from_bytes(content[29:33], 'big')
    return int.from_bytes(header[4:8], 'big'), int.from_bytes(header[8:12], 'big')


def test_provenance_hashes_each_file_of_a_folder(tmp_path):
    bag = tmp_path / 'bag'
    bag.mkdir()
    contents = {'a.mcap': b'1' * 3_000_000, 'metadata.yaml': b''}
    for name, content in contents.items():
        (bag / name).write_bytes(content)
    read = []
    made = provenance_of([bag], ['robot_dynamics', 'compare', 'a bag'], read.append)
    assert {file.path: (file.size, file.sha256) for file in made.files} == {
        str(bag / name): (len(content), hashlib.sha256(content).hexdigest())
        for name, content in contents.items()
    }
    assert sum(read) == 3_000_000
    assert made.command == "robot_dynamics compare 'a bag'"
    assert made.versions['numpy'] == np.__version__
    assert made.created.utcoffset().total_seconds() == 0
