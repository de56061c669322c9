#include "widgets/design/design_documents.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>
#include <QUndoGroup>

#include "core/spec/edit.h"
#include "core/spec/shorthand.h"
#include "widgets/common/project_session.h"

namespace braid::ui {

namespace {

constexpr int autosave_delay = 1500;  // milliseconds after the last edit
const char* const preset_prefix = "preset:";

}  // namespace

DesignDocuments::DesignDocuments(ProjectSession& session, const MixerCatalog& catalog, QObject* parent)
    : QObject(parent), session_(session), catalog_(catalog), undo_group_(new QUndoGroup(this)) {
    connect(&session_, &ProjectSession::architecturesChanged, this, &DesignDocuments::followFiles);
    connect(&session_, &ProjectSession::closed, this, &DesignDocuments::closeAll);
    connect(&session_, &ProjectSession::opened, this, &DesignDocuments::closeAll);
    connect(&session_, &ProjectSession::saveFailed, this, [this](const QString& file) {
        const auto found = designs_.find(QFileInfo(file).completeBaseName());
        if (found != designs_.end() && QFileInfo(file).dir().dirName() == QLatin1String("architectures")) {
            found->second->document->undoStack()->resetClean();  // what was marked as saved is not
        }
    });
}

DesignDocuments::~DesignDocuments() { designs_.clear(); }

void DesignDocuments::closeAll() {
    while (!designs_.empty()) {
        Q_EMIT closed(designs_.begin()->first);
        designs_.erase(designs_.begin());
    }
}

OpenDesign* DesignDocuments::find(const QString& name) const {
    const auto found = designs_.find(name);
    return found == designs_.end() ? nullptr : found->second.get();
}

OpenDesign* DesignDocuments::open(const QString& name) {
    if (OpenDesign* design = find(name)) {
        return design;
    }
    const ArchitectureEntry* entry = session_.architecture(name);
    if (!entry || !entry->spec) {
        return nullptr;
    }
    auto design = std::make_unique<OpenDesign>();
    design->name = name;
    design->saved = entry->spec;
    design->document = std::make_unique<SpecDocument>(catalog_);
    design->document->open(*entry->spec);
    design->autosave = new QTimer(design->document.get());
    design->autosave->setSingleShot(true);
    design->autosave->setInterval(autosave_delay);
    undo_group_->addStack(design->document->undoStack());
    OpenDesign* kept = design.get();
    connect(design->autosave, &QTimer::timeout, this, [this, kept] { autosave(*kept); });
    connect(design->document.get(), &SpecDocument::changed, this, [this, kept] { scheduleAutosave(*kept); });
    connect(design->document->undoStack(), &QUndoStack::cleanChanged, this,
            [this, kept] { Q_EMIT modifiedChanged(kept->name); });
    designs_.emplace(name, std::move(design));
    return kept;
}

bool DesignDocuments::isModified(const QString& name) const {
    const OpenDesign* design = find(name);
    return design && !design->document->isClean();
}

QStringList DesignDocuments::modified() const {
    QStringList names;
    for (const auto& [name, design] : designs_) {
        if (!design->document->isClean()) {
            names << name;
        }
    }
    return names;
}

void DesignDocuments::scheduleAutosave(OpenDesign& design) { design.autosave->start(); }

void DesignDocuments::autosave(OpenDesign& design) {
    design.autosave->stop();
    if (!design.document->isClean()) {
        session_.autosaveArchitecture(design.name, design.document->spec());
        design.autosaved = true;
    } else if (design.autosaved) {
        session_.discardAutosave(design.name);
        design.autosaved = false;
    }
}

void DesignDocuments::autosaveAll() {
    for (const auto& [name, design] : designs_) {
        if (design->autosave->isActive() || !design->document->isClean()) {
            autosave(*design);
        }
    }
}

void DesignDocuments::save(const QString& name) {
    OpenDesign* design = find(name);
    if (!design) {
        return;
    }
    ArchitectureSpec spec = design->document->spec();
    spec.name = name.toStdString();
    design->saved = std::make_shared<const ArchitectureSpec>(spec);
    design->document->endTyping();
    design->document->undoStack()->setClean();  // taken back if the file cannot be written
    design->autosave->stop();
    design->autosaved = false;
    session_.saveArchitecture(name, spec);
    Q_EMIT modifiedChanged(name);
    Q_EMIT baseChanged(name);
}

void DesignDocuments::create(const QString& name, ArchitectureSpec spec, const QString& base) {
    spec.name = name.toStdString();
    if (!base.isEmpty()) {
        QSettings().setValue(settingsKey(name), base);
    }
    session_.saveArchitecture(name, spec);
    session_.setCurrentArchitecture(name);
}

void DesignDocuments::rename(const QString& from, const QString& to) {
    const QString base = baseChoice(from);
    if (!base.isEmpty()) {
        QSettings().setValue(settingsKey(to), base);
        QSettings().remove(settingsKey(from));
    }
    const auto found = designs_.find(from);
    if (found != designs_.end()) {
        std::unique_ptr<OpenDesign> design = std::move(found->second);
        designs_.erase(found);
        design->name = to;
        designs_.emplace(to, std::move(design));
    }
    session_.renameArchitecture(from, to);
    if (session_.currentArchitecture() == from) {
        session_.setCurrentArchitecture(to);
    }
}

void DesignDocuments::remove(const QString& name) {
    session_.removeArchitecture(name);
    const auto found = designs_.find(name);
    if (found != designs_.end()) {
        Q_EMIT closed(name);
        designs_.erase(found);
    }
}

void DesignDocuments::restoreAutosave(const QString& name) {
    const ArchitectureEntry* entry = session_.architecture(name);
    OpenDesign* design = open(name);
    if (entry && entry->autosave && design) {
        design->document->apply(tr("Restore Unsaved Work"), *entry->autosave, {});
        design->autosaved = true;
    }
}

void DesignDocuments::discardAutosave(const QString& name) { session_.discardAutosave(name); }

void DesignDocuments::followFiles() {
    for (const auto& [name, design] : designs_) {
        const ArchitectureEntry* entry = session_.architecture(name);
        if (!entry || !entry->spec || entry->spec == design->saved) {
            continue;
        }
        const bool differs = !design->saved || *entry->spec != *design->saved;
        design->saved = entry->spec;
        if (differs && design->document->isClean() && *entry->spec != design->document->spec()) {
            design->document->open(*entry->spec);
            Q_EMIT reloaded(name);
        }
    }
}

QString DesignDocuments::settingsKey(const QString& name) const {
    const QByteArray project =
        QCryptographicHash::hash(session_.folder().toUtf8(), QCryptographicHash::Sha1).toHex().left(12);
    return QStringLiteral("design/base/%1/%2").arg(QString::fromLatin1(project), name);
}

void DesignDocuments::setBase(const QString& name, const QString& choice) {
    if (choice.isEmpty()) {
        QSettings().remove(settingsKey(name));
    } else {
        QSettings().setValue(settingsKey(name), choice);
    }
    Q_EMIT baseChanged(name);
}

QString DesignDocuments::baseChoice(const QString& name) const {
    return QSettings().value(settingsKey(name)).toString();
}

DesignBase DesignDocuments::base(const QString& name) const {
    const OpenDesign* design = find(name);
    if (!design) {
        return {};
    }
    const QString choice = baseChoice(name);
    if (choice.startsWith(QLatin1String(preset_prefix))) {
        const QString preset_name = choice.mid(static_cast<qsizetype>(qstrlen(preset_prefix)));
        const Preset* preset = find_preset(preset_name.toStdString());
        if (preset) {
            if (const Checked<Pattern> pattern = parse_pattern(preset->pattern, catalog_)) {
                const ArchitectureSpec& spec = design->document->spec();
                return {preset_name, std::make_shared<const ArchitectureSpec>(
                                         instantiate(*pattern, spec, design->document->state().depth))};
            }
        }
    } else if (!choice.isEmpty()) {
        const OpenDesign* other = find(choice);
        if (other && choice != name) {
            return {choice, other->document->snapshot()};
        }
        const ArchitectureEntry* entry = session_.architecture(choice);
        if (entry && entry->spec) {
            return {choice, entry->spec};
        }
    }
    if (!design->document->isClean() && design->saved) {
        return {tr("saved"), design->saved};
    }
    return {};
}

QString DesignDocuments::nameProblem(const QString& name) const {
    static const QRegularExpression allowed(QStringLiteral("^[^/\\\\:*?\"<>|\\x00-\\x1f]{1,80}$"));
    if (name.trimmed().isEmpty()) {
        return tr("A name is needed.");
    }
    if (!allowed.match(name).hasMatch() || name.startsWith(QLatin1Char('.')) || name != name.trimmed()) {
        return tr("Names are file names: no / \\ : * ? \" < > |, no dot first, at most 80 characters.");
    }
    if (session_.architecture(name)) {
        return tr("The project already has \"%1\".").arg(name);
    }
    return {};
}

}  // namespace braid::ui
